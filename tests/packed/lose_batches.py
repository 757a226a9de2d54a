"""lose_batches.py LOG FOLDER: copies of a packed log, each without one of its batches, in FOLDER/NUMBER.HOW.

Without its parity, by which they would come back.  HOW is `gone` or `zeros`, `-pieces` if the PIECES go with it.  Prints
for each the name and a time within the messages that are lost.
"""
import datetime
import sys

sys.dont_write_bytecode = True
import packed_log  # noqa: E402

source, folder = sys.argv[1:]
with open(source, "rb") as file:
    data = packed_log.without_parity(file.read())
frames = list(packed_log.frames(data))
batches = [i for i, frame in enumerate(frames) if frame.record[0] == packed_log.TAGS["BATCH"]]
for number, i in enumerate(batches):
    batch = packed_log.named("BATCH", packed_log.objects(frames[i].record)[1])
    middle = (batch["FIRST"] + batch["LAST"]) // 2
    seconds, left = divmod(middle, 10 ** 9)
    time = f"{datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc):%Y-%m-%d %H:%M:%S}.{left:09d}"
    begin = frames[i].offset
    for how, end in ("", frames[i].end), ("-pieces", frames[i + 1].end):
        for what, instead in ("gone", b""), ("zeros", bytes(end - begin)):
            with open(f"{folder}/{number}.{what}{how}", "wb") as file:
                file.write(data[:begin] + instead + data[end:])
            print(f"{number}.{what}{how}", time, sep="\t")
