package dialect

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/internal/sqlread"
)

// checkCopies refuses a text that nests too deep, one of which DuckDB's parser would make
// a tree that is far larger than the text, and one that could hide words from this check.
func checkCopies(text string) error {
	lower := ascii.Lower(text)
	plain := utf8.RuneCountInString(text) == len(text)
	cases, sets, nesting := caseCheck{}, setCheck{}, 0
	scan := sqlread.Scanner{Src: text, DuckDB: true}
	for t := scan.Next(); t.Kind != sqlread.EndOfText; t = scan.Next() {
		token := lower[t.At:t.End]
		if t.Kind == sqlread.Word && !plain {
			if err := checkSpaces(token, t.At); err != nil {
				return err
			}
		}
		switch token {
		case "(", "{":
			if nesting++; nesting > sqlast.MaxNesting {
				return sqlast.NestsTooDeep(t.At)
			}
		case ")", "}":
			nesting = max(nesting-1, 0)
		}
		if err := cases.next(t, token); err != nil {
			return err
		}
		if err := sets.next(t, token); err != nil {
			return err
		}
	}
	if err := sets.end(); err != nil {
		return err
	}
	return checkWindows(lower)
}

// namesNext reports whether a word after a token is a name, even if it is a keyword.
func namesNext(token string) bool { return token == "." || token == ".." || token == "$" }

// checkSpaces refuses spaces and invisible characters beyond ASCII in a word. DuckDB
// makes spaces of some of them, though not after every text in quotes, so that they would
// hide keywords from caseCheck, setCheck and checkWindows.
func checkSpaces(word string, start int) error {
	for at, r := range word {
		if r >= utf8.RuneSelf && unicode.In(r, unicode.Z, unicode.C) {
			return &sqlast.Error{Code: sqlast.Syntax, Pos: sqlast.Pos(start + at), Message: "there is a space or an " +
				"invisible character that is not ASCII: write a plain space, or quote the name"}
		}
	}
	return nil
}

// maxWindowCopies is the maximum number of bytes of windows that DuckDB's parser copies.
const maxWindowCopies = 128 << 10

var over = regexp.MustCompile(`\bover\b`)

// checkWindows refuses a text, in lower case, whose tree would be far larger than the
// text. DuckDB's parser copies the definition of a window for each use of its name.
// Every OVER counts, since OVER (w) copies too, and comments may stand between the words.
// A definition ends somewhere after the first WINDOW.
func checkWindows(lower string) error {
	at := strings.Index(lower, "window")
	if at >= 0 && len(over.FindAllStringIndex(lower, -1))*len(lower[at:]) > maxWindowCopies {
		return &sqlast.Error{Code: sqlast.TooCostly, Name: "WINDOW", Message: "a statement of this length has too many " +
			"OVER next to a named window: use fewer, or write each window in full"}
	}
	return nil
}
