package sqlast

import (
	"regexp"
	"slices"
	"strings"
)

// Words returns an expression for people: as its dialect prints it, but without quotes around
// plain names and without an alias that equals the name. The keys of names are aliases of
// tables, and their values the qualifiers that are written instead; an empty one is left
// out. The qualifier stays if a subquery of the expression declares that alias. Words
// returns "" for an expression that cannot be printed.
func Words(l Language, e Expr, names map[string]string) string {
	printed, err := l.Append(nil, &Query{Body: &Select{Items: []Item{{Expr: e}}}}, false)
	if err != nil {
		return ""
	}
	sql := strings.TrimPrefix(string(printed), "SELECT ")
	var own []string // aliases of relations of subqueries
	Walk(e, func(n Node) bool {
		if r, ok := n.(Relation); ok {
			alias, _ := aliasesOf(r)
			own = append(own, alias)
			for _, quote := range []string{`"`, "`"} {
				name := quote + alias + quote
				sql = strings.ReplaceAll(sql, name+" AS "+name, name)
			}
		}
		return true
	})
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
