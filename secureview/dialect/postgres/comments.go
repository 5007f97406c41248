package postgres

import (
	"strings"

	"github.com/qedkit/qed/internal/sqlread"
)

// withoutComments returns a text of the same length with blanks instead of its
// comments. The grammar's library refuses a comment before the second word of NOT
// IN, NULLS FIRST and other pairs, which PostgreSQL accepts.
func withoutComments(text string) string {
	if !strings.Contains(text, "--") && !strings.Contains(text, "/*") {
		return text
	}
	var out []byte
	scan := sqlread.Scanner{Src: text}
	for end := 0; end < len(text); {
		t := scan.Next()
		for i := end; i < t.At; i++ {
			if out == nil {
				out = []byte(text)
			}
			out[i] = ' '
		}
		end = max(t.End, t.At)
	}
	if out == nil {
		return text
	}
	return string(out)
}
