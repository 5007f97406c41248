package chat

import (
	"regexp"
	"strings"
)

// maxWidth is the width, in bytes, above which a query is broken into lines.
const maxWidth = 100

// layout breaks a query that is one long line into several: SQL before each
// clause, JSON at its outer commas and brackets. A query with line breaks of its
// own is left alone.
func layout(query string) string {
	switch {
	case len(query) <= maxWidth || strings.Contains(query, "\n"):
		return query
	case strings.HasPrefix(query, "{"):
		return strings.Join(layoutJSON(query, ""), "\n")
	}
	return layoutSQL(query)
}

// clause is the beginning of a clause in SQL as a dialect prints it.
var (
	clause   = regexp.MustCompile(`^ (FROM|(LEFT |RIGHT |FULL |CROSS |INNER )?(OUTER )?JOIN|WHERE|GROUP BY|HAVING|ORDER BY|LIMIT|UNION|SELECT) `)
	joinKind = regexp.MustCompile(` (LEFT|RIGHT|FULL|CROSS|INNER|OUTER)$`)
)

func layoutSQL(query string) string {
	var b strings.Builder
	scan(query, func(i, depth int) {
		if depth == 0 && query[i] == ' ' && clause.MatchString(query[i:]) && !joinKind.MatchString(query[:i]) {
			b.WriteByte('\n')
			return
		}
		b.WriteByte(query[i])
	})
	return b.String()
}

// layoutJSON returns the lines of a JSON value, or of a member with its key.
func layoutJSON(value, indent string) []string {
	if len(indent)+len(value) <= maxWidth {
		return []string{indent + value}
	}
	open, end, children := split(value)
	switch {
	case children == nil:
		return []string{indent + value}
	case len(children) == 1: // brackets that hold one value share a line
		if lines := layoutJSON(children[0], indent); len(lines) > 1 {
			lines[0] = indent + open + strings.TrimPrefix(lines[0], indent)
			lines[len(lines)-1] += end
			return lines
		}
	}
	lines := []string{indent + open}
	for _, child := range children {
		lines = append(lines, layoutJSON(child, indent+"  ")...)
	}
	return append(lines, indent+end)
}

// split returns what is in the first brackets of a JSON value, at each comma, and
// the text before and after it. It returns no children for a value without brackets.
func split(value string) (open, end string, children []string) {
	first := strings.IndexAny(value, "{[")
	last := strings.LastIndexAny(value, "}]")
	if first < 0 || last <= first+1 {
		return "", "", nil
	}
	start := first + 1
	scan(value[:last], func(i, depth int) {
		if depth == 1 && i >= start && value[i] == ',' {
			children = append(children, value[start:i+1])
			start = i + 1
		}
	})
	return value[:first+1], value[last:], append(children, value[start:last])
}

// scan calls at for each byte of a query, with the number of brackets that are
// open there; a closing bracket is outside of its own pair. Inside a quoted text
// the depth is -1.
func scan(query string, at func(i, depth int)) {
	depth, quote := 0, byte(0)
	for i := range len(query) {
		c := query[i]
		switch {
		case quote != 0:
			at(i, -1)
			if c == quote && query[i-1] != '\\' {
				quote = 0
			}
			continue
		case c == '"' || c == '\'' || c == '`':
			quote = c
			at(i, -1)
			continue
		case c == ')' || c == '}' || c == ']':
			depth--
		}
		at(i, depth)
		if c == '(' || c == '{' || c == '[' {
			depth++
		}
	}
}
