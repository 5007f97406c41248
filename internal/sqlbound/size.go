package sqlbound

// These figures are the bounds. Each was measured on SQLite (in Go), MariaDB 10.11
// and PostgreSQL 18: a call within them takes at most 0.4 s of a processor, and all
// calls for a row together at most 2 s, usually much less.
const (
	// stored is the nominal size of a stored value: names and short texts. A
	// statement cannot make stored values longer, so their real size does not
	// count.
	stored = 128

	// collected is the nominal size of what an aggregate collects of short values.
	collected = 64 << 10

	// small is the size of a number, a date or a truth value.
	small = 32

	maxText    = 64 << 10 // bytes of a value that come from the statement
	maxData    = 1 << 20  // bytes of a value that come from stored values, nominal
	maxElement = 4 << 10  // bytes from the statement in each value that an aggregate collects
	maxRow     = 4 << 20  // bytes of all columns of a row
	maxShort   = 512      // bytes of a pattern or needle
	maxSet     = 256      // bytes of what a slow function searches for
	maxProduct = 1 << 25  // bytes of a text times bytes of what is searched in it
	maxWork    = 1 << 27  // all products, and what linearWork and nodeWork add
	maxStep    = 2 << 10  // bytes that a step of a recursion may add to a column

	batchPart    = 16      // of these bounds, for each row of a batch
	slowWork     = 8       // for each byte of the product of a slow function
	linearWork   = 8       // for each byte of the arguments and the result of a call
	nodeWork     = 512     // for each operator, column and call, since engines copy expressions
	steppingWork = 1 << 22 // a match of a regular expression with all the steps that are allowed
	bytesMoved   = 256     // bytes of a text that MariaDB moves, for each replacement, in the time of a step

	digitsPerStep = 16 // digits of one number times digits of another

	unbounded = int64(1) << 40 // every larger value
)

// A size is an upper estimate of the bytes of a value. Lower and upper case, JSON
// escapes and character sets may make a real value up to four times as long.
type size struct {
	text int64 // bytes that come from the text of the statement
	data int64 // bytes that come from stored values
	work int64 // the work of computing it, with all that it names in subqueries
}

var number = size{data: small}

func (a size) bytes() int64 { return add(a.text, a.data) }

func (a size) plus(b size) size {
	return size{add(a.text, b.text), add(a.data, b.data), add(a.work, b.work)}
}

func (a size) times(n int64) size {
	return size{times(a.text, n), times(a.data, n), a.work}
}

// or returns the larger of two values in each part. The work is that of both.
func (a size) or(b size) size {
	return size{max(a.text, b.text), max(a.data, b.data), add(a.work, b.work)}
}

// isLong reports whether checker.bounded refuses the value.
func (a size) isLong() bool { return a.text > maxText || a.data > maxData }

// cut returns a value of at most n bytes.
func (a size) cut(n int64) size {
	a.text = min(a.text, n)
	a.data = min(a.data, n-a.text)
	return a
}

func add(a, b int64) int64 { return min(a+b, unbounded) }

func times(a, b int64) int64 {
	if a != 0 && b > unbounded/a {
		return unbounded
	}
	return a * b
}
