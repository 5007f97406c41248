package integration_test

import "strings"

// shrink removes tokens of a statement while fails reports true for the rest.
func shrink(dialect, sql string, fails func(string) bool) string {
	var tokens []string
	for _, token := range genTokens(dialect, sql) {
		if strings.TrimSpace(token) != "" && !strings.HasPrefix(token, "/*") && !strings.HasPrefix(token, "-- ") {
			tokens = append(tokens, token)
		}
	}
	join := func(tokens []string) string { return strings.Join(tokens, " ") }
	spaced := fails(join(tokens))
	if !spaced { // a token of two characters, such as <=
		tokens = genTokens(dialect, sql)
		join = func(tokens []string) string { return strings.Join(tokens, "") }
	}
	for size := len(tokens) / 2; size > 0; {
		removed := false
		for at := 0; at+size <= len(tokens); {
			rest := append(append([]string(nil), tokens[:at]...), tokens[at+size:]...)
			if fails(join(rest)) {
				tokens, removed = rest, true
			} else {
				at += max(1, size/2)
			}
		}
		if !removed || size > len(tokens) {
			size /= 2
		}
	}
	return join(tokens)
}
