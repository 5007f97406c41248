package sqlast

import (
	"regexp"
	"slices"
	"strings"
)

// Words returns an expression as people read it: as its dialect prints it, but without quotes
// around plain names, and with the qualifiers of names instead of the aliases that it has
// for them. An empty one is left out. The alias of a subquery's own relation stays. Words
// returns "" for an expression that cannot be printed.
func Words(l Language, e Expr, names map[string]string) string {
	printed, err := l.Append(nil, &Query{Body: &Select{Items: []Item{{Expr: e}}}}, false)
	if err != nil {
		return ""
	}
	var own []string // aliases of relations of subqueries
	Walk(e, func(n Node) bool {
		if r, ok := n.(Relation); ok {
			alias, _ := aliasesOf(r)
			own = append(own, alias)
		}
		return true
	})
	sql := strings.TrimPrefix(string(printed), "SELECT ")
	return quotedText.ReplaceAllStringFunc(sql, func(token string) string {
		if token[0] == '\'' {
			return token
		}
		quoted, isQualifier := strings.CutSuffix(token, ".")
		name, dot := strings.Trim(quoted, "\"`"), ""
		if isQualifier {
			if other, ok := names[name]; ok && !slices.Contains(own, name) {
				if other == "" {
					return ""
				}
				name = other
			}
			dot = "."
		}
		if !plainWord.MatchString(name) {
			name = quoted
		}
		return name + dot
	})
}

var (
	quotedText = regexp.MustCompile("'[^']*'|(?:\"[^\"]*\"|`[^`]*`)" + `\.?`)
	plainWord  = regexp.MustCompile(`^[\pL_][\pL\d_.]*$`)
)
