"""Programs from seeds: scripts for tests/soak/victim.c.

A program is a list of lines; what it may be compared by comes with it:
  alone     one thing happens at a time, in however many processes and threads: everything is as natively, byte for byte
  threads   several threads at once: each line begins with the name of its group, and each group is as natively

Only what holds natively in every run may be asked for.  In a program with threads each thread therefore has streams,
variables and files of its own, what several write to is written by whole lines with one write(2) each, or through one
stream alone, and a child of fork() touches no buffer of its parent.
"""
import random
import re

WORDS = ['', 'x', 'word', 'two words', 'line\n', 'a\nb\n', 'no end', 'tab\tbell', '%d %s', 'e' * 70, 'text\n', '\n',
	 'colon: ', 'longer text that goes on for a while\n', 'k' * 300 + '\n', 'm' * 1500, 'p' * 5000 + '\n', 'nul\0in\n']
# Kinds of actions that can be left out, as when it is known what they find.
FEATURES = ('append assign at cancel churn close cookie dup2 exec fault fclose fork handler macro manyn openself order perror psignal purge range raw reopen seek '
	    'setvbuf splice storm system tiny truncate vfork wide').split()


def quote(text):
	return ''.join(c if '!' <= c <= '~' and c != '=' else '=%02X' % (ord(c) & 255) for c in text) or '='


def s(text):
	return 's' + quote(text)


def i(number):
	return 'i%d' % number

# Blocks that another process runs, or another program.
PROCESSES = ('fork', 'vfork', 'exec', 'spawn')


class Generator:
	def __init__(self, seed, without=()):
		self.random = random.Random(seed)
		self.without = set(without)
		unknown = self.without - set(FEATURES)
		if unknown:
			raise ValueError('no such kinds of actions: ' + ' '.join(sorted(unknown)))
		self.lines = []
		self.processes = 0  # blocks around that other processes run
		self.cancelled = False

	def has(self, feature):
		assert feature in FEATURES
		return feature not in self.without

	def add(self, *words):
		self.lines.append(' '.join(str(word) for word in words))

	def may_append(self):
		"""O_APPEND is the open file's: a process that changes it changes it for others, who would have to ask at each call"""
		return self.has('append') and not self.processes

	def chance(self, part):
		return self.random.random() < part

	def pick(self, *of):
		return self.random.choice(of)

	def word(self):
		word = self.any_word()
		# Of a text that is cancelled after its first line libc keeps that line.
		return word[:-1].replace('\n', ' ') + word[-1:] if self.cancelled else word

	def any_word(self):
		r = self.random
		if r.random() < 0.6:
			word = r.choice(WORDS)
			return word if '\0' not in word else 'line\n'
		return ''.join(r.choice('abcdefghij %\n') for _ in range(r.choice((3, 8, 20, 60))))

	def number(self):
		r = self.random
		return r.choice((0, 1, -1, 7, 42, 255, 65536, 2**31 - 1, -2**31, 2**63 - 1, -2**63, r.randrange(-999999, 999999)))

	def a_file(self):
		return i(self.random.choice((1, 1, 1, 1, 2, 2, 3, 3, 4, 5, 6)))

	def own_file(self):
		return i(self.random.choice((3, 4, 5, 6)))

	def a_descriptor(self):
		r = self.random
		return r.choice(('i1', 'i1', 'i1', 'i2', 'i2', 'i3', 'i3', 'i4', 'i5', 'i6', 'v0', 'v1', 'v2'))

	def an_action_of_format(self):
		"""print FILE FORMAT HOW g0..g3 d0..d2"""
		r = self.random
		pieces, numbers, reals = [], [], []
		positional = r.random() < 0.12
		for _ in range(r.choice((0, 1, 1, 2, 2, 3, 4))):
			pieces.append(r.choice(('', ' ', 'text ', 'a=', '%%', '\n', 'x' * r.randrange(40))))
			kind = r.random()
			if kind < 0.45 and len(numbers) < 4:
				flags = r.choice(('', '', '', '-', '0', '+', ' ', '#'))
				width = r.choice(('', '', '', '5', '12', '40', '700', '5000'))
				precision = r.choice(('', '', '', '.0', '.3', '.12'))
				size = r.choice(('', 'l', 'l', 'h', 'hh', 'z', 'j'))
				numbers.append('#' if r.random() < 0.2 else i(self.number()))
				directive = flags + width + precision + size + r.choice('dduxXoi')
				at = len(numbers)
			elif kind < 0.75 and len(numbers) < 4:
				numbers.append('i0' if r.random() < 0.05 else s(self.word()))
				directive = r.choice(('', '', '-')) + r.choice(('', '', '8', '30', '3000')) + r.choice(('', '', '.2', '.200')) + 's'
				at = len(numbers)
			elif kind < 0.8 and len(numbers) < 4:
				numbers.append(i(r.randrange(32, 127)))
				directive, at = r.choice(('c', '3c')), len(numbers)
			elif kind < 0.83 and len(numbers) < 4 and self.has('wide'):
				numbers.append('S' + quote(self.word()))
				directive, at = r.choice(('ls', '.3ls', '12ls')), len(numbers)
			elif kind < 0.86 and len(numbers) < 4 and self.has('manyn'):
				numbers.append('n%d' % r.randrange(4))
				directive, at = r.choice(('n', 'ln', 'hhn')), len(numbers)
			elif kind < 0.89:
				pieces.append('%m')
				continue
			elif len(reals) < 3 and not positional:
				reals.append('f%r' % r.choice((0.0, -0.0, 1.5, 1e300, 1e-300, 3.14159, float('inf'), float('nan'), 1e15, -2.5)))
				directive, at = r.choice(('', '.0', '12.3', '+', '-20')) + r.choice('fgeaG'), 0
			else:
				continue
			pieces.append('%' + ('%d$' % at if positional else '') + directive)
		if positional:
			held = [p for p in pieces if p.startswith('%') and '$' in p]
			r.shuffle(held)
			pieces = [p for p in pieces if not (p.startswith('%') and '$' in p) and p != '%m'] + held
		pieces.append(r.choice(('', '\n', '\n', '\n', ' end')))
		how = r.choice((0, 0, 0, 1, 4, 4, 9, 2, 3, 5, 6, 7, 8)) + 16 * r.choice((0, 0, 1, 2))
		if self.cancelled:
			# What dprintf() has made is written at the end, from the stack of a thread that has gone.
			how, pieces = 0, [p.replace('\n', ' ') for p in pieces[:-1]] + pieces[-1:]
			numbers = [n.replace('=0A', '') for n in numbers if isinstance(n, str)]
		to = self.a_descriptor() if how & 15 in (2, 3) else self.a_file()
		numbers += ['i0'] * (4 - len(numbers))
		return ('print', to, s(''.join(pieces)), i(how), *numbers, *reals)

	def output(self):
		r = self.random
		f, d = self.a_file(), self.a_descriptor()
		some = [
			lambda: self.an_action_of_format(),
			lambda: self.an_action_of_format(),
			lambda: self.an_action_of_format(),
			lambda: ('constant', f, i(r.randrange(32)), r.choice(('#', i(self.number()))), s(self.word())),
			lambda: ('constant', f, i(r.randrange(32)), r.choice(('#', i(self.number()))), s(self.word())),
			lambda: ('constant', f, i(r.randrange(32)), r.choice(('#', i(self.number()))), s(self.word())),
			lambda: ('puts', s(self.word())), lambda: ('putchar', i(r.choice((10, 65, 255)))),
			lambda: ('fputs', f, s(self.word())), lambda: ('fputs_unlocked', f, s(self.word())),
			lambda: ('fputc', f, i(r.choice((10, 66)))), lambda: ('fwrite', f, s(self.word()), i(r.choice((1, 1, 2, 7)))),
			lambda: ('fwrite_unlocked', f, s(self.word())),
			lambda: ('long', f, i(r.randrange(97, 122)), i(r.choice((10, 1000, 4095, 4096, 4097, 10000, 70000))), i(r.randrange(2))),
			lambda: ('putw', f, i(1684234849)),
			lambda: ('write', d, s(self.word())), lambda: ('write', d, s(self.word())),
			lambda: ('writev', d, s(self.word()), s(self.word()), s(self.word())),
			lambda: ('long_writev', d, i(r.randrange(64)), i(r.randrange(64)), s('W ')),
		]
		if self.has('macro'):
			some += [lambda: ('macro', f, i(r.choice((0, 10, 97))), i(r.choice((1, 3, 80, 600, 4096, 9000)))),
				 lambda: ('macro_text', f, s(self.word()))] * 2
		# libc loses its duplicate where perror() is cancelled.
		if self.has('perror') and not self.cancelled:
			some.append(lambda: ('perror', s(r.choice(('', 'prefix', 'x' * 900))), i(r.randrange(0, 140))))
		if self.has('psignal'):
			some.append(lambda: ('psignal', s('signal'), i(r.randrange(1, 70))))
		if self.has('wide') and not self.cancelled:
			some += [lambda: ('fputws', self.own_file(), 'S' + quote(self.word())), lambda: ('fputwc', self.own_file(), i(r.choice((65, 233, 10)))),
				 lambda: ('wprint', self.own_file(), 'S' + quote('wide %ld\n'), i(r.randrange(2)), i(self.number()))]
		if self.has('at'):
			some.append(lambda: ('pwrite', d, s(self.word()), i(r.choice((0, 5, 100)))))
		if self.has('raw'):
			some.append(lambda: ('raw_write', d, s(self.word())))
		if self.has('splice'):
			some += [lambda: ('sendfile', d, s(self.word())), lambda: ('copy_range', d, s(self.word()))]
		return r.choice(some)()

	def control(self):
		r = self.random
		f, d, own = self.a_file(), self.a_descriptor(), self.own_file()
		file_name = r.choice(('data', 'data', 'other'))
		if self.has('openself'):
			file_name = r.choice((file_name, '../out', '/dev/stdout', '/dev/null', '/proc/self/fd/1'))
		some = [
			lambda: ('flush', r.choice((f, f, 'i-1'))), lambda: ('ferror', f),
			lambda: ('clearerr', f), lambda: ('fopen', own, s(file_name), s(r.choice(('w', 'a', 'r+', 'w+', 'we')))),
			lambda: ('fdopen', own, d, s(r.choice(('w', 'a')) if self.may_append() else 'w')), lambda: ('fdopen', own, d, s('w')),
			lambda: ('mine', own, d, i(r.randrange(3)), i(r.choice((0, 0, 64, 4096)))),
			lambda: ('mine', own, d, i(r.randrange(3)), i(0)),
			lambda: ('open', s(file_name), i(r.randrange(4)), *r.choice(((), ('v%d' % r.randrange(3),)))),
			lambda: ('dup', d, *r.choice(((), ('v%d' % r.randrange(3),)))), lambda: ('dupfd', d, i(r.choice((0, 10, 50)))),
			lambda: ('memfd', *r.choice(((), ('v%d' % r.randrange(3),)))), lambda: ('pipe', *r.choice(((), ('v0', 'v1')))),
			lambda: ('pump', d, self.a_descriptor()), lambda: ('cloexec', d), lambda: ('pause', 'i1'),
		]
		if self.has('setvbuf'):
			some += [lambda: ('setvbuf', f, i(r.randrange(3)), *r.choice((*((('i1', 'i1'), ('i16', 'i1'), ('i100', 'i1')) if self.has('tiny') else ()), ('i0', 'i0'), ('i1024', 'i0'), ('i4096', 'i1'), ('i30000', 'i1'))))] * 2
		if self.has('cookie'):
			some.append(lambda: ('cookie', own, d))
		if self.has('dup2'):
			some += [lambda: ('dup2', d, self.a_descriptor()), lambda: ('dup3', d, self.a_descriptor())]
		if self.has('purge'):
			some.append(lambda: ('fpurge', f))
		if self.has('close'):
			some += [lambda: ('close', d), lambda: ('close', r.choice(('i3', 'i4', 'v0', 'v1')))]
		if self.has('fclose'):
			some.append(lambda: ('fclose', f if self.has('close') else own))
		if self.has('seek'):
			some += [lambda: ('ftell', f), lambda: ('fpending', f), lambda: ('fseek', f, i(r.choice((0, 0, 3, 50, -2))), i(r.randrange(3))), lambda: ('rewind', f),
				 lambda: ('lseek', d, i(r.choice((0, 0, 3, 50, -2, 5000))), i(r.randrange(3)))]
		if self.has('truncate'):
			some += [lambda: ('ftruncate', d, i(r.choice((0, 0, 5, 300)))), lambda: ('truncate', s(file_name), i(r.choice((0, 7))))]
		if self.has('reopen'):
			some += [lambda: ('brief', d, i(r.randrange(1, 6)), s('B')), lambda: ('freopen', f, s(r.choice((file_name, ''))), s(r.choice(('w', 'a', 'r+'))))] * 2
		if self.has('wide'):
			some.append(lambda: ('fwide', own, i(r.choice((-1, 0, 1)))))
		if self.may_append():
			some.append(lambda: ('set_append', d, i(r.randrange(2))))
		if self.has('assign'):
			some.append(lambda: ('assign', own))
		if self.has('range'):
			some.append(lambda: ('close_range', i(r.choice((3, 4, 7))), i(r.choice((3, 5, 900)))))
		if self.has('system') and not self.cancelled:
			# One that reads all whatever becomes of its output, and is waited for: else it is a matter of time who is first.
			some += [lambda: ('pipeline', s(r.choice(('cat', 'cat >&2', 'cat >data')) + '; cat >/dev/null'), s(self.word())),
				 lambda: ('system', s(r.choice(('echo from a shell', 'printf "%s %d\\n" a 5 >&2', 'exit 3', 'echo x >>../out'))))]
		return r.choice(some)()

	def block(self, depth, few=False):
		for _ in range(self.random.choice((1, 2, 3, 5) if few else (2, 4, 7, 12))):
			self.anything(depth)

	def anything(self, depth):
		r = self.random
		at = r.random()
		if at < 0.62:
			self.add(*self.output())
		elif at < 0.86 or depth > 2 or self.cancelled:
			if self.chance(0.03):
				self.add('locale', s(r.choice(('C', 'C.UTF-8', 'POSIX'))))
			elif self.chance(0.03) and self.has('fault') and not self.cancelled:
				self.add('fault', self.a_file(), s(r.choice(('text %s\n', '%s'))), i(r.randrange(3)))
			else:
				self.add(*self.control())
		else:
			self.nested(depth)

	def nested(self, depth):
		r = self.random
		kinds = ['repeat', 'repeat', 'thread', 'atexit']
		kinds += ['fork'] * 3 * self.has('fork') + ['vfork'] * self.has('vfork')
		kinds += ['exec', 'spawn', 'spawn'] * self.has('exec') + ['handler', 'jump'] * self.has('handler')
		kinds += ['cancel'] * self.has('cancel')
		kind = r.choice(kinds)
		if kind == 'exec' and self.chance(0.7):
			kind = 'fork' if self.has('fork') else 'repeat'
		self.processes += kind in PROCESSES
		if kind == 'repeat':
			# What is repeated is cheap: no blocks within, which multiply, and no other programs.
			self.add(kind, i(r.choice((2, 3, 5, 20, 20, 60))))
			for _ in range(r.choice((1, 2, 3, 5))):
				action = self.output() if self.chance(0.8) else self.control()
				if action[0] not in ('system', 'pipeline', 'pause') and not (action[0] == 'long' and int(action[3][1:]) > 10000):
					self.add(*action)
		elif kind == 'fork':
			self.add(kind, i(r.choice((0, 0, 0, 1, 1, 2, 3, 4, 5, 6, 7))), i(r.random() < 0.1))
			self.block(depth + 1)
		elif kind == 'vfork':
			self.add(kind)
			for _ in range(r.randrange(4)):
				self.add('write', self.a_descriptor(), s(self.word()))
			if self.chance(0.5):
				self.add('exec', i(r.randrange(2)))
				self.block(depth + 1)
				self.add('end')
		elif kind == 'exec':
			self.add(kind, i(r.randrange(2)))
			self.block(depth + 1)
		elif kind == 'spawn':
			self.add(kind, *r.choice(((), ('i1', 'i2'), ('i2', 'i1'), (self.a_descriptor(), 'i1'))))
			self.block(depth + 1)
		elif kind in ('thread', 'cancel', 'handler', 'jump', 'atexit'):
			self.add(kind)
			self.cancelled = kind == 'cancel'
			self.block(depth + 1, True)
			self.cancelled = False
			if kind == 'thread' and self.chance(0.2):
				self.add('leave_thread')
		self.add('end')
		self.processes -= kind in PROCESSES

	# ---- several threads at once ----
	def line_of(self, name, number):
		tail = self.random.choice(('', ' x', ' ' + 'y' * 50, ' ' + 'z' * 200, ' w w w'))
		return '%s %d%s\n' % (name, number, tail)

	def in_thread(self, index, shared, contest):
		"""what thread INDEX does; SHARED: several descriptions of the same output are written to, by lines"""
		r = self.random
		name = 'T%d' % index
		own, variable = i(16 + index), 'v%d' % (16 + index)
		by_lines = r.random() < 0.6 or contest == 'fork'
		if shared:
			self.add('mine', own, r.choice(('i1', 'i1', 'i2')), i(1 if by_lines else 2), i(0))
		if contest == 'order':
			self.add('repeat', i(r.choice((300, 3000))))
			self.add('in_order', i(self.lock), 'i1')
			self.add('end')
		elif contest and shared:
			self.add('repeat', i(200))
			if contest == 'churn':
				self.add(*(('churn', 'i20') if index == 0 else ('brief', 'i1', 'i3', s(name + 'b'))))
			elif index == 0:
				self.add('fork', 'i1')
				self.add('end')
			else:
				self.add('macro_text', own, s(name + 'm'))
				self.add('macro', own, i(97), i(300))
				self.add('print', own, s(' %ld\n'), 'i0', '#')
			self.add('end')
		for step in range(r.choice((1, 3, 8, 15))):
			number = '#'
			label = '%s.%d' % (name, step)
			fmt = r.choice(('%s %%ld\n' % label, '%s %%ld %s\n' % (label, 'y' * r.randrange(60)), '%s %%5ld\n' % label))
			# A full buffer is written wherever in a line it ends: so nothing else may go to the same file.
			to = r.choice((own, 'i1', 'i2')) if shared else 'i1'
			outputs = [lambda: self.add('print', to, s(fmt), i(r.choice((0, 1)) + 16 * r.choice((0, 0, 1))), number),
				   lambda: self.add('fputs', to, s(self.line_of(label, 1))),
				   lambda: self.add('fwrite', to, s(self.line_of(label, 2)), 'i1')]
			if shared:
				d = r.choice(('i1', 'i2'))
				outputs += [lambda: self.add('write', d, s(self.line_of(label, 3))),
					    lambda: self.add('writev', d, s(label), s(' four'), s('\n')),
					    lambda: self.add('print', d, s(fmt), i(2), number),
					    lambda: self.add('brief', d, i(r.randrange(1, 5)), s(label)),
					    lambda: self.add('long_writev', d, i(r.choice((3, 20, 60))), i(r.choice((5, 30, 60))), s(label + ' '))]
			if self.has('macro'):
				# Without a buffer each character is a write(2) of its own, and another line may come in between.
				buffered = own if to == own and by_lines else 'i1'
				outputs.append(lambda: self.add('macro_text', buffered, s(self.line_of(label, 5))))
				if shared and by_lines:
					# A line that macros have begun is whole where the buffer is written by lines.
					def macros():
						self.add('macro_text', own, s(label))
						self.add('macro', own, i(97), i(r.choice((1, 20, 600))))
						self.add('print', own, s(' %ld\n'), i(0), number)
					outputs += [macros, macros]
			others = [lambda: self.add('flush', to)]
			if self.has('fclose'):
				others += [lambda: (self.add('fopen', i(48 + index), s('file%d' % index), s('a')), self.add('print', i(48 + index), s('own %ld\n'), 'i0', number),
						    self.add('fclose', i(48 + index))),
					   lambda: (self.add('open', s('raw%d' % index), 'i1', variable), self.add('write', variable, s('own\n')), self.add('close', variable))]
			if self.has('churn'):
				others.append(lambda: self.add('churn', i(r.choice((1, 10, 50)))))
			if self.has('order'):
				others.append(lambda: self.add('in_order', i(self.lock), 'i1'))
			if self.has('fork'):
				def forks():
					self.add('fork', 'i1')
					self.add('write', 'i1', s('%s child\n' % label))
					self.add('print', 'i1', s('%s child %%ld\n' % label), 'i2', number)
					self.add('end')
				others += [forks] if shared else []
			if self.has('vfork') and shared:
				def vforks():
					self.add('vfork')
					self.add('write', 'i1', s('%s vfork\n' % label))
					self.add('end')
				others.append(vforks)
			what = r.choice(outputs if self.chance(0.7) else others)
			if self.chance(0.5):
				self.add('repeat', i(r.choice((2, 10, 50))))
				what()
				self.add('end')
			else:
				what()
		if shared:
			self.add('fclose', own)

	def program_alone(self):
		if self.chance(0.3) and self.has('setvbuf'):
			self.add('setvbuf', i(1), i(self.random.randrange(3)), *self.pick(('i0', 'i0'), ('i16', 'i1') if self.has('tiny') else ('i2000', 'i1'), ('i1024', 'i1'), ('i4096', 'i0')))
		for _ in range(self.random.choice((3, 8, 15, 30))):
			self.anything(0)
		if self.chance(0.1):
			self.add('end_by', i(self.random.randrange(8)))

	def program_threads(self):
		r = self.random
		shared = self.chance(0.7)
		if shared:
			self.add('setvbuf', 'i1', 'i1', 'i0', 'i0')
		storm = self.has('storm') and shared and self.chance(0.3)
		if storm:
			self.add('storm', i(r.choice((5, 40))), i(r.choice((150, 500, 2000))), 'i1')
		self.add('parallel')
		# By one kind of lock; and in some programs all do little else, or what natively does no harm to each other.
		self.lock = r.randrange(2)
		contest = r.choice((None, None, None, 'order', 'churn', 'fork'))
		if contest and not (self.has(contest) and self.has('macro')):
			contest = None
		for index in range(r.choice((2, 2, 3, 6))):
			self.add('thread', 'sT%d' % index)
			self.in_thread(index, shared, contest)
			self.add('end')
		self.add('end')
		if storm:
			self.add('calm')
		self.add('constant', 'i1', 'i8', 'i1', 's=')

	def program(self, kind=None):
		other = 'threads' if self.chance(0.3) else 'alone'
		kind = kind or other
		getattr(self, 'program_' + kind)()
		modes = ['file', 'file', 'both', 'append', 'append both', 'rw', 'rw both', 'pipe', 'pipe both', 'pipe out']
		mode = self.pick(*modes)
		if 'append' in mode and any(re.match(r'(ftruncate|truncate|lseek|fseek|ftell|size|rewind|freopen|set_append|fopen|open|pwrite)\b', line) for line in self.lines):
			mode += ' new'
		setting = self.pick('', '', '', '', '', 'tee', 'tee', 'depth', 'ring')
		return kind, mode, setting, self.lines
