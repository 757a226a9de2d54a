"""damage_cases.py HOW COUNT SEED CASES WANTED: damaged packed logs, and which of their frames are whole.

CASES gets COUNT times the size (4 bytes, little-endian) and the bytes of a log; WANTED a line for each with the places
of the frames to be found, as offset+bytes.  What is whole is known from how the damage was done, and in the cases where
it is not, from packed_log.py.  HOW is
    flips         1 to 50 bits are changed
    joins         whole and torn logs, one after the other
    pages         pages of 4 KiB are zeroed, said twice, or change places
    interleaved   frames of several logs take turns
    nested        frames hold whole frames, and some of the outer ones are whole
    candidates    heads of frames that are none, of every length
"""
import random
import struct
import sys

sys.dont_write_bytecode = True
import packed_log  # noqa: E402
from make_log import Maker  # noqa: E402

PAGE = 4096


def place_of(frame):
    return frame.offset, frame.end - frame.offset


class Damage:
    def __init__(self, how, seed):
        self.random = random.Random(f"{how} {seed}")
        self.how = getattr(self, how)
        self.known = [self.log(seed * 1000 + i) for i in range(8)]
        self.whole = {frame for frames in self.known for frame in frames}

    @staticmethod
    def log(seed):
        """Frames of a log: small ones, with many frames."""
        maker = Maker(seed, plain=seed % 4 == 3, stored=seed % 4 == 2)
        return [frame for frame, _, _ in maker.frames(200 if seed % 4 == 3 else 2000)]

    @staticmethod
    def places(frames, start=0):
        found = []
        for frame in frames:
            found.append((start, len(frame)))
            start += len(frame)
        return found

    def flips(self):
        frames = self.random.choice(self.known)
        data = bytearray(b"".join(frames))
        bits = self.random.sample(range(len(data) * 8), self.random.randrange(1, 51))
        for bit in bits:
            data[bit >> 3] ^= 1 << (bit & 7)
        hurt = sorted(bit >> 3 for bit in bits)
        return data, [(at, size) for at, size in self.places(frames) if not any(at <= bit < at + size for bit in hurt)]

    def joins(self):
        data, wanted = bytearray(), []
        for _ in range(self.random.randrange(2, 9)):
            frames = self.random.choice(self.known)
            frames = frames[:self.random.randrange(1, 40)] if self.random.random() < .7 else frames
            whole = b"".join(frames)
            low = 0 if self.random.random() < .5 else self.random.randrange(len(whole))
            high = len(whole) if self.random.random() < .5 else self.random.randrange(low, len(whole))
            wanted += [(len(data) + at - low, size) for at, size in self.places(frames) if low <= at and at + size <= high]
            data += whole[low:high]
        # Where the first bytes of a piece happen to be what the one before it lacks, a frame is whole again.
        told = set(wanted)
        wanted += [place for place in map(place_of, packed_log.frames(data)) if place not in told and
                   bytes(data[place[0]:sum(place)]) in self.whole]
        return data, sorted(wanted)

    def pages(self):
        whole = b"".join(self.random.choice(self.known))
        pages = [whole[at:at + PAGE] for at in range(0, len(whole), PAGE)]
        for _ in range(self.random.randrange(1, 6)):
            one, other = (self.random.randrange(len(pages)) for _ in range(2))
            way = self.random.randrange(3)
            if way == 0:
                pages[one] = bytes(len(pages[one]))
            elif way == 1:
                pages.insert(other, pages[one])
            else:
                pages[one], pages[other] = pages[other], pages[one]
        data = b"".join(pages)
        return data, [place_of(frame) for frame in packed_log.frames(data)]

    def interleaved(self):
        runs = [list(frames) for frames in self.random.sample(self.known, 3)]
        frames = []
        while any(runs):
            run = self.random.choice([run for run in runs if run])
            frames.append(run.pop(0))
        return b"".join(frames), self.places(frames)

    def nested(self):
        """A whole frame hides what is in it; a damaged one lets go of it only if its bytes are not masked."""
        outer = []
        for frame in self.random.choice(self.known)[:20]:
            inner = b"".join(self.random.sample(self.random.choice(self.known), 3))
            way = self.random.randrange(3)
            if way == 0:
                outer.append(frame)
            elif way == 1:
                outer.append(packed_log.make_frame(1, {"LOG": 1, "PART": 0, "ID": 1, "TEXT": inner}))
            else:
                outer.append(packed_log.make_frame(99, {0: 1, 1: 0, 2: [inner, inner]}))
        return b"".join(outer), self.places(outer)

    def candidates(self):
        """Among sound frames; they claim to end anywhere."""
        frames, wanted, data = self.random.choice(self.known), [], bytearray()
        for frame in frames[:60]:
            for _ in range(self.random.randrange(4)):
                data += self.random.choice([b"\xc1", b"\xc1\xce", b"\xc1\xce\0\0\0\0\xc1", b"\xc1\xc1\xce", frame[:self.random.randrange(len(frame))]])
                if self.random.random() < .5:
                    data += b"\xc1\xce" + self.random.randbytes(4) + b"\xc1" + self.random.choice([
                        bytes([0xa0 + self.random.randrange(32)]), b"\xda" + self.random.randbytes(2), b"\xdb" + self.random.randbytes(4),
                        b"\xdb\0" + self.random.randbytes(3), b"\xd9\x05", b"\xc4\x05", b"\xdb\xff\xff\xff\xff", b"\xdb\0\x40\0\0", b"\xdb\0\x40\0\1"])
            wanted.append((len(data), len(frame)))
            data += frame
        return data, wanted


def main():
    how, count, seed, cases, wanted = sys.argv[1:]
    damage = Damage(how, int(seed))
    with open(cases, "wb") as logs, open(wanted, "w") as lines:
        for _ in range(int(count)):
            data, places = damage.how()
            logs.write(struct.pack("<I", len(data)) + data)
            lines.write(" ".join(f"{at}+{size}" for at, size in places) + "\n")


if __name__ == "__main__":
    main()
