// Package textfile recognizes files from their first bytes: whether they can contain a
// table as text, their encoding, and the separator of their cells.
package textfile

import (
	"bytes"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
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

const separators = ";\t|,"

// Separator returns the sign that separates the cells of a CSV file: the one that
// most of the first records have as often as the header. It does not look into
// quotes. If several have, it is the one that the header has most often.
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
	const records = 50
	var count, header, same [len(separators)]int
	quoted, ended, blank := false, 0, true
	for _, b := range head {
		if b == '"' {
			quoted = !quoted
		}
		if quoted {
			continue
		}
		if i := strings.IndexByte(separators, b); i >= 0 {
			count[i]++
		}
		if b != '\n' {
			blank = blank && b == '\r'
			continue
		}
		if blank {
			continue
		}
		if ended == 0 {
			header = count
		}
		for i := range count {
			if count[i] == header[i] {
				same[i]++
			}
		}
		count, blank = [len(separators)]int{}, true
		if ended++; ended == records {
			break
		}
	}
	if ended == 0 {
		header = count
	}
	best := len(separators) - 1
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
