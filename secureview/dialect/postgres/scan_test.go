package postgres

import (
	"flag"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wasilibs/go-pgquery/parser"

	"github.com/qedkit/qed/internal/sqlread"
)

var generated = flag.Int("generated", 300, "number of generated texts")

// fragments are parts of tokens whose boundaries depend on what stands next to them.
var fragments = []string{
	"+", "-", "+-", "--", "*", "/", "/*", "*/", "<", ">", "=", "<>", "!=", "<=", "=>", "~", "!", "@", "#", "%", "^", "&", "|", "||", "?", "`",
	" ", " ", "\n", "\t", "\r", "\v", "-- ", "-- \n", "/**/", "/* ' */", "(", ")", "[", "]", ",", ";", ".", "..", ":", "::", ":=", "{",
	"a", "A1", "_b", "é", "a$b", "e", "E", "x", "b", "n", "u&", "U&", "and", "CASE", "end",
	"1", "23", "1.5", ".5", "1.", "1e5", "1e", "0x1f", "0b1", "1_000", "$1", "$", "$$", "$a$",
	"'", "''", "'a'", "'\\'", "\\", "e'", "E'\\''", "x'1'", "b'1'", "n'a'", "u&'a'", `"`, `""`, `"a"`, `u&"a"`, "$$ ' $$", "$a$ ( $a$",
}

// TestScan: the tokens of generated texts begin and end where the tokens of
// PostgreSQL's lexer do.
func TestScan(t *testing.T) {
	const seed = 16
	rng := rand.New(rand.NewPCG(seed, seed))
	compared := 0
	for range *generated * 10 {
		var b strings.Builder
		for range 1 + rng.IntN(8) {
			b.WriteString(fragments[rng.IntN(len(fragments))])
		}
		want, ok := lexed(b.String())
		if !ok {
			continue
		}
		if got := scanned(b.String()); got != want {
			t.Errorf("seed %d: %q is scanned as\n%s, by PostgreSQL as\n%s", seed, b.String(), got, want)
		}
		compared++
	}
	if t.Logf("%d texts were compared", compared); compared < *generated {
		t.Errorf("only %d texts were compared", compared)
	}
}

// lexed returns the tokens of PostgreSQL's lexer, each on a line. It reports
// whether there are any.
func lexed(text string) (string, bool) {
	const lineComment, comment = 275, 276
	result, err := parser.ScanToProtobuf(text)
	if err != nil {
		return "", false
	}
	var b strings.Builder
	for _, m := range message(result).list(2) {
		if kind := m.number(4); kind != lineComment && kind != comment {
			b.WriteString(text[m.number(1):m.number(2)] + "\n")
		}
	}
	return b.String(), b.Len() > 0
}

// scanned returns the tokens of the scanner, each on a line.
func scanned(text string) string {
	var b strings.Builder
	scan := sqlread.Scanner{Src: text}
	for t := scan.Next(); t.Kind != sqlread.EndOfText; t = scan.Next() {
		b.WriteString(text[t.At:t.End] + "\n")
	}
	return b.String()
}
