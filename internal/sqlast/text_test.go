package sqlast_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/refusal"
)

var plainLexis = sqlast.Lexis{Quotes: "'\"`", Brackets: true}

func TestCheckText(t *testing.T) {
	const most = sqlast.MaxNesting
	deep := strings.Repeat("(", most+1)
	for _, tt := range []struct {
		name  string
		lexis *sqlast.Lexis
		text  string
		code  refusal.Code // empty: accepted
		pos   int
	}{
		{"empty", &plainLexis, "", "", 0},
		{"longest", &plainLexis, strings.Repeat("x", sqlast.MaxText), "", 0},
		{"too long", &plainLexis, strings.Repeat("x", sqlast.MaxText+1), sqlast.TooLarge, -1},
		{"unicode", &plainLexis, "SELECT 'ſ 日本 \ufffd 🎉'", "", 0},
		{"half a rune", &plainLexis, "SELECT '\ufffd日\xe6'", sqlast.InvalidText, 14},
		{"surrogate", &plainLexis, "\xed\xa0\x80", sqlast.InvalidText, 0},
		{"NUL", &plainLexis, "SELECT 1\x00", sqlast.InvalidText, 8},

		{"deepest", &plainLexis, strings.Repeat("(", most) + strings.Repeat(")", most), "", 0},
		{"too deep", &plainLexis, deep, sqlast.TooDeep, most},
		{"many but flat", &plainLexis, strings.Repeat("()", 9*most), "", 0},
		{"braces", &plainLexis, strings.Repeat("({", most/2+1), sqlast.TooDeep, most},
		{"closed too often", &plainLexis, strings.Repeat(")", most) + deep, sqlast.TooDeep, 2 * most},

		{"string", &plainLexis, "'" + deep + "'", "", 0},
		{"after a string", &plainLexis, "''" + deep, sqlast.TooDeep, most + 2},
		{"doubled quotes", &plainLexis, "'a''" + deep + "'", "", 0},
		{"other quotes inside", &plainLexis, `'"` + deep + "`'", "", 0},
		{"quoted names", &plainLexis, `"` + deep + "\" `" + deep + "` [" + deep + "]", "", 0},
		{"no end", &plainLexis, "'" + deep, "", 0},

		{"backslash is plain", &plainLexis, `'\'` + deep, sqlast.TooDeep, most + 3},

		{"line comment", &plainLexis, "--" + deep + "\n(", "", 0},
		{"after a line comment", &plainLexis, "-- '\n" + deep, sqlast.TooDeep, most + 5},
		{"no hash", &plainLexis, "#" + deep, sqlast.TooDeep, most + 1},
		{"block comment", &plainLexis, "/*" + deep + "*/ /*/" + deep, "", 0},
		{"after a block comment", &plainLexis, "/* ' */" + deep, sqlast.TooDeep, most + 7},
		{"division", &plainLexis, "1/2" + deep, sqlast.TooDeep, most + 3},
		{"no code in comments", &plainLexis, "/*!" + deep + "*/", "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := sqlast.CheckText(tt.text, tt.lexis)
			if tt.code == "" {
				if err != nil {
					t.Errorf("CheckText: %v; want it accepted", err)
				}
				return
			}
			var e *sqlast.Error
			if !errors.As(err, &e) || e.Code != tt.code || int(e.Pos) != tt.pos {
				t.Errorf("CheckText: %v; want %s at %d", err, tt.code, tt.pos)
			}
		})
	}
}

// FuzzText: an accepted text is valid and, without its quotes and comments, does
// not nest deep.
func FuzzText(f *testing.F) {
	for _, s := range []string{"", "SELECT (1)", "'a''b'", `"\"(`, "-- (\n(", "/* ( */ (", "[(]", "`(`", "#(", "/*!(*/", "\xff", "\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l := &plainLexis
		err := sqlast.CheckText(text, l)
		var e *sqlast.Error
		if err != nil && !errors.As(err, &e) {
			t.Fatalf("CheckText: %T", err)
		}
		if err == nil && (!utf8.ValidString(text) || strings.Contains(text, "\x00") || len(text) > sqlast.MaxText) {
			t.Fatalf("CheckText accepts %q", text)
		}
		if e != nil && int(e.Pos) > len(text) {
			t.Fatalf("CheckText: position %d of %d", e.Pos, len(text))
		}
		// A parenthesis after a complete text counts.
		if err == nil && !strings.ContainsAny(text, "'\"`[#-/") {
			deep := strings.Repeat("(", sqlast.MaxNesting+1)
			if len(text)+len(deep) <= sqlast.MaxText && sqlast.CheckText(text+deep, l) == nil {
				t.Fatalf("CheckText misses the nesting after %q", text)
			}
		}
	})
}
