// Package textfile recognizes files from their first bytes: whether they can contain a
// table as text, their encoding, and the separator of their cells.
package textfile

import (
	"bytes"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/lists"
)

// HeadBytes is how many of the first bytes the functions of this package expect.
const HeadBytes = 64 << 10

// foreign are the first bytes of formats that are not text.
var foreign = []struct{ prefix, name string }{
	{"PK\x03\x04", "a ZIP archive or an XLSX file"},
	{"%PDF", "a PDF"},
	{"\x1f\x8b", "compressed with gzip"},
	{"SQLite format 3", "a SQLite database"},
	{"PAR1", "a Parquet file"},
	{"\xd0\xcf\x11\xe0", "an XLS file"},
	{"\x89PNG", "a picture"},
	{"\x7fELF", "a program"},
	{"\xff\xfe\x00\x00", "UTF-32"},
	{"\x00\x00\xfe\xff", "UTF-32"},
}

// Foreign returns what a file is, such as "a PDF", if it cannot contain a table as text.
// It returns "" for every other file.
func Foreign(head []byte) string {
	for _, f := range foreign {
		if bytes.HasPrefix(head, []byte(f.prefix)) {
			return f.name
		}
	}
	start := ascii.Lower(string(bytes.TrimSpace(head[:min(len(head), 512)])))
	if strings.HasPrefix(start, "<!doctype") || strings.HasPrefix(start, "<html") || strings.HasPrefix(start, "<?xml") {
		return "HTML or XML"
	}
	if IsUTF16(head) {
		return ""
	}
	nul, control := bytes.Count(head, []byte{0}), 0
	for _, b := range head {
		if b != 0 && b < 0x20 && b != '\t' && b != '\n' && b != '\r' {
			control++
		}
	}
	if control*20 > len(head) || nul*3 > len(head) {
		return "binary"
	}
	return ""
}

// IsUTF16 reports whether a file begins with a byte order mark of UTF-16.
func IsUTF16(head []byte) bool {
	return bytes.HasPrefix(head, []byte{0xff, 0xfe}) || bytes.HasPrefix(head, []byte{0xfe, 0xff})
}

// HasBOM reports whether a file begins with a byte order mark of UTF-8.
func HasBOM(head []byte) bool { return bytes.HasPrefix(head, []byte{0xef, 0xbb, 0xbf}) }

// Rule has the characters of the lines between the rows of a printed table.
const Rule = "-=_+:"

const separators = ";\t|,"

// Separator returns the sign that separates the cells of a CSV file: the one that
// most of the first records have as often as the header. It does not look into
// quotes. If several have, it is the one that the header has most often, or another one than a
// comma. It is never a comma if all commas may be marks of numbers and texts, and another sign is
// in every record.
//
// A first line such as "sep=;", which spreadsheets write, names the sign. It is not
// the header, and named is true.
func Separator(head []byte) (sign rune, named bool) {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	line = bytes.Trim(line, "\"\r")
	if len(line) == len("sep=;") && ascii.EqualFold(string(line[:4]), "sep=") && strings.IndexByte(separators, line[4]) >= 0 {
		return rune(line[4]), true
	}
	if len(head) < HeadBytes { // the last record is whole
		head = slices.Concat(head, []byte("\n"))
	}
	return commonest(head), false
}

// commonest returns the separator of records that end with a newline each.
func commonest(head []byte) rune {
	records, marks := countSeparators(head)
	best := len(separators) - 1
	if len(records) == 0 {
		return rune(separators[best])
	}
	header := records[0]
	if header == (counts{}) {
		header = below(records)
	}
	var same counts
	least := header
	for _, r := range records {
		for i := range r {
			least[i] = min(least[i], r[i])
			if r[i] == header[i] {
				same[i]++
			}
		}
	}
	if marks {
		header[best] = min(header[best], 1)
	}
	if marks && slices.ContainsFunc(least[:best], func(n int) bool { return n > 0 }) {
		header[best] = 0
	}
	for i := range header {
		if header[i] == 0 {
			continue
		}
		if header[best] == 0 || same[i] > same[best] || same[i] == same[best] && (header[i] > header[best] || best == len(separators)-1 && header[i] == header[best]) {
			best = i
		}
	}
	return rune(separators[best])
}

// counts are how often a record has each separator.
type counts [len(separators)]int

// countSeparators returns the counts of the first records, and whether all their commas may be
// marks: each stands between digits or before a space.
func countSeparators(head []byte) (records []counts, marks bool) {
	const most = 50
	var count counts
	quoted, blank := false, true
	marks = true
	for at, b := range head {
		if b == '"' {
			quoted = !quoted
		}
		if quoted {
			continue
		}
		if i := strings.IndexByte(separators, b); i >= 0 {
			count[i]++
			marks = marks && (b != ',' || isMark(head[max(at-1, 0):min(at+2, len(head))]))
		}
		if b != '\n' {
			blank = blank && (b == '\r' || strings.IndexByte(Rule, b) >= 0)
			continue
		}
		if !blank {
			records = append(records, count)
		}
		if count, blank = (counts{}), true; len(records) == most {
			break
		}
	}
	return records, marks
}

// isMark reports whether a comma may be a mark of a number or a text, by the bytes next to it.
func isMark(around []byte) bool {
	after := around[len(around)-1]
	return after == ' ' || ascii.IsDigit(around[0]) && ascii.IsDigit(after)
}

// below returns the counts that more than half of the records have, for a file with a title
// above the header. A sign that they have once may be one of a text.
func below(records []counts) (usual counts) {
	for i := range usual {
		for _, r := range records {
			n := lists.Count(records, func(other counts) bool { return other[i] == r[i] })
			if r[i] > 1 && n*2 > len(records) {
				usual[i] = r[i]
			}
		}
	}
	return usual
}
