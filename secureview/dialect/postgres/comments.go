package postgres

import "strings"

// withoutComments returns a text of the same length with blanks instead of its
// comments. The grammar's library refuses a comment before the second word of NOT
// IN, NULLS FIRST and other pairs, which PostgreSQL accepts.
func withoutComments(text string) string {
	if !strings.Contains(text, "--") && !strings.Contains(text, "/*") {
		return text
	}
	var out []byte
	scan := scanner{src: text}
	for end := 0; end < len(text); {
		t := scan.next()
		for i := end; i < t.at; i++ {
			if out == nil {
				out = []byte(text)
			}
			out[i] = ' '
		}
		end = max(t.end, t.at)
	}
	if out == nil {
		return text
	}
	return string(out)
}
