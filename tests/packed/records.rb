# records.rb LOG: each record of a packed log, as Ruby's MessagePack library reads it, in a line that others can compare
require "msgpack"

def words(value)
  case value
  when String then "x" + value.b.unpack1("H*")
  when Array then "[" + value.map { |each| words(each) }.join(" ") + "]"
  when Hash then "{" + value.map { |key, each| words(key) + ":" + words(each) }.join(" ") + "}"
  when Float then "f" + [value].pack("G").unpack1("H*")
  else value.inspect
  end
end

data = File.binread(ARGV[0])
at = 0
while at < data.size
  head = data.getbyte(at + 7)
  size, start = case head
                when 0xa0..0xbf then [head & 31, at + 8]
                when 0xda then [data[at + 8, 2].unpack1("n"), at + 10]
                when 0xdb then [data[at + 8, 4].unpack1("N"), at + 12]
                else abort "#{at}: no raw"
                end
  found = []
  MessagePack::Unpacker.new.feed_each(data[start, size]) { |object| found << object }
  puts found.map { |object| words(object) }.join(" ")
  at = start + size
end
