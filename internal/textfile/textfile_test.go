package textfile_test

import (
	"strings"
	"testing"

	"github.com/qedkit/qed/internal/textfile"
)

func TestForeign(t *testing.T) {
	for _, test := range []struct{ name, head, want string }{
		{"CSV", "a,b\n1,2\n", ""},
		{"no bytes", "", ""},
		{"UTF-8 with a mark", "\xef\xbb\xbfa\n", ""},
		{"UTF-16", "\xff\xfea\x00\n\x00", ""},
		{"UTF-32", "\xff\xfe\x00\x00a\x00\x00\x00", "UTF-32"},
		{"a NUL byte", "a,b\nx\x00y,2\n", ""},
		{"ZIP", "PK\x03\x04x", "a ZIP archive or an XLSX file"},
		{"a word that begins like ZIP", "PKW,a\n", ""},
		{"HTML", " \n<!DOCTYPE HTML>", "HTML or XML"},
		{"a comparison", "<b,a\n", ""},
		{"binary", "\x01\x02\x03\x04", "binary"},
		{"NUL bytes", "a\x00b\x00c\x00", "binary"},
	} {
		if got := textfile.Foreign([]byte(test.head)); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestSeparator(t *testing.T) {
	for _, test := range []struct {
		name, head string
		want       rune
		named      bool
	}{
		{"commas", "a,b\n1,2\n", ',', false},
		{"semicolons with decimal commas", "a;b\n1,5;2,5\n", ';', false},
		{"a semicolon in the header alone", "a;x,b\n1,2\n", ',', false},
		{"one column", "a\n1\n", ',', false},
		{"quoted separators", "\"a;b\",c\n\"1;2\",3", ',', false},
		{"tabs with decimal commas and no header", "1,5\t2,25\n3,5\t-4,5\n", '\t', false},
		{"bars with dates in words", "Sun, 01 Sep 2002|-0,04\nFri, 19 Feb 2021|2,5\n", '|', false},
		{"dates in words and rows that end early", "April 5, 2023;7;Ray;new;\nApril 4, 2023;8;Ann;\nMay 9, 2023;9;Eve;\n", ';', false},
		{"decimal commas and a line below", "Ort, Land;Wert, EUR\nBerlin, DE;1,5\nParis, FR;2,5\n(Quelle: Amt)\n", ';', false},
		{"decimal commas, no header and a line below", "1,5\t2,25\t3,5\n3,5\t-4,5\t1,5\nEnde\n", '\t', false},
		{"decimal commas and a comma in the header", "name;price,net\nx;1,5\n", ';', false},
		{"commas between digits", "1,2,3\n4,5,6\n", ',', false},
		{"commas and blanks", "a, b\n1, 2\n", ',', false},
		{"commas with a semicolon in each row", "x,a;b,1\ny,c;d,2\n", ',', false},
		{"a head that ends with a comma", strings.Repeat("1,", textfile.HeadBytes/2), ',', false},
		{"tabs", "a\tb\n1\t2\n", '\t', false},
		{"bars", "a|b\n1|2", '|', false},
		{"a title above", "Report 2026\n\na;b;c\n1;1,5;x\n2;2,5;y\n", ';', false},
		{"sentences", "note\nyes; no\nwell; so\n", ',', false},
		{"named", "sep=;\r\na,b;c\r\n", ';', true},
		{"named in capitals and quotes", "\"SEP=|\"\na,b|c\n", '|', true},
		{"a header that begins so", "sep=;x,b\n1,2\n", ',', false},
		{"a name that is no separator", "sep=x\na\n", ',', false},
		{"a head that ends within a record", "a,b\n" + strings.Repeat("1,2;;;;\n", textfile.HeadBytes/8), ',', false},
	} {
		if got, named := textfile.Separator([]byte(test.head)); got != test.want || named != test.named {
			t.Errorf("%s: %q, %v", test.name, got, named)
		}
	}
}
