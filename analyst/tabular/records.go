package tabular

import (
	"io"
	"slices"
	"strconv"
)

// records counts the bytes and lines of records, so that a record is refused
// before the memory has it whole.
type records struct {
	r     io.Reader
	max   int64
	start int64 // where the record starts
	end   int64 // of what was read

	line     int     // at start
	newlines []int64 // from start to end
}

func (r *records) Read(p []byte) (int, error) {
	left := r.max + 1 - (r.end - r.start)
	if left <= 0 {
		return 0, r.tooLarge()
	}
	n, err := r.r.Read(p[:min(int64(len(p)), left, readBytes)])
	for i, b := range p[:n] {
		if b == '\n' {
			r.newlines = append(r.newlines, r.end+int64(i))
		}
	}
	r.end += int64(n)
	return n, err
}

func (r *records) tooLarge() error {
	return optionf("MaxRowBytes", ErrTooLarge, r.line, func(t *texts) string { return t.LongRecord }, "n", strconv.FormatInt(r.max, 10))
}

// next starts a record at an offset.
func (r *records) next(offset int64) error {
	if offset-r.start > r.max {
		return r.tooLarge()
	}
	line := r.lineAt(offset)
	r.newlines = r.newlines[line-r.line:]
	r.start, r.line = offset, line
	return nil
}

// lineAt returns the line of an offset that is not before the record.
func (r *records) lineAt(offset int64) int {
	n, _ := slices.BinarySearch(r.newlines, offset)
	return r.line + n
}
