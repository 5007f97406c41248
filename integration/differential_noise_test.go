package integration_test

import "strings"

// noise replaces the white space and the case of the keywords of a statement, and
// the quotes of aliases.
func (g *generator) noise(sql string) string {
	quotes := [...]string{pickOne(g, g.quotes), pickOne(g, g.titles)}
	var b strings.Builder
	open := true
	for i := range len(sql) {
		if c := sql[i]; c >= byte(len(quotes)) {
			b.WriteByte(c)
			continue
		} else if open {
			b.WriteByte(quotes[c][0])
		} else {
			b.WriteByte(quotes[c][1])
		}
		open = !open
	}
	lower, blanks, comments := g.chance(25), g.chance(20), g.chance(8)
	var out strings.Builder
	for _, token := range genTokens(g.name, b.String()) {
		switch {
		case token == " " && comments && g.chance(8):
			token = pickOne(g, []string{" /* note */ ", " -- note\n", "/**/", " /* it's */ "})
		case token == " " && blanks && g.chance(20):
			token = pickOne(g, []string{"\n", "\t", "  ", "\r\n", "\n  "})
		case lower && token == strings.ToUpper(token) && len(token) > 1 && genIsWord(token[0]):
			token = strings.ToLower(token)
		}
		out.WriteString(token)
	}
	if g.chance(15) {
		out.WriteString(pickOne(g, []string{";", " ;", "\n", "; -- end"}))
	}
	return out.String()
}

// genTokens splits a statement of the generator into words, quoted texts, single
// characters and spaces.
func genTokens(dialect, sql string) []string {
	g := grammars[dialect]
	var out []string
	for i := 0; i < len(sql); {
		end := i + 1
		switch c := sql[i]; {
		case c == '\'' || c == '"' || c == '`' || c == '[' && g.brackets:
			if c == '[' {
				c = ']'
			}
			escaped := c == '\'' && (g.escapes || i > 0 && sql[i-1] == 'E') || c == '"' && g.escapes
			for end < len(sql) && sql[end] != c {
				if escaped && sql[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end+1, len(sql))
		case c == '$':
			if tag := strings.IndexByte(sql[end:], '$'); tag >= 0 && strings.Trim(sql[end:end+tag], "q") == "" {
				mark := sql[i : end+tag+1]
				if n := strings.Index(sql[i+len(mark):], mark); n >= 0 {
					end = i + 2*len(mark) + n
				}
			}
		case strings.HasPrefix(sql[i:], "/*"):
			if n := strings.Index(sql[i:], "*/"); n >= 0 {
				end = i + n + 2
			}
		case strings.HasPrefix(sql[i:], "-- "):
			if n := strings.IndexByte(sql[i:], '\n'); n >= 0 {
				end = i + n + 1
			} else {
				end = len(sql)
			}
		case strings.IndexByte(genOperators, c) >= 0:
			for end < len(sql) && strings.IndexByte(genOperators, sql[end]) >= 0 {
				end++
			}
		case strings.HasPrefix(sql[i:], "->"):
			end++
			if strings.HasPrefix(sql[end:], ">") {
				end++
			}
		case genIsWord(c):
			for end < len(sql) && (genIsWord(sql[end]) || '0' <= sql[end] && sql[end] <= '9') {
				end++
			}
		}
		out = append(out, sql[i:end])
		i = end
	}
	return out
}

// genOperators are characters that together are one operator.
const genOperators = "<>=!|&:@~?#"

func genIsWord(c byte) bool { return c == '_' || c >= 0x80 || 'a' <= c|0x20 && c|0x20 <= 'z' }
