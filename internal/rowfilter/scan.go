package rowfilter

import (
	"fmt"
	"regexp"
	"strings"
)

// A token is a part of the text of a condition.
type token struct {
	kind kind
	text string // a quoted name, a literal and a parameter are without their marks
}

type kind int

const (
	end kind = iota
	word
	quoted // a name in "" or ``
	parameter
	number
	text // a literal in ''
	sign
)

func (t token) String() string {
	switch t.kind {
	case end:
		return "the end"
	case parameter:
		return ":" + t.text
	case text:
		return "a text in quotes"
	}
	return fmt.Sprintf("%.40q", t.text)
}

// tokens are the forms of the tokens. A text in quotes has no backslash, which some
// servers read as an escape and others do not.
var tokens = []struct {
	kind kind
	form *regexp.Regexp
}{
	{parameter, regexp.MustCompile(`^:([A-Za-z_][A-Za-z0-9_.]*)`)},
	{word, regexp.MustCompile(`^([\pL_][\pL\pN_]*)`)},
	{number, regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)`)},
	{quoted, regexp.MustCompile("^\"((?:[^\"\\\\[:cntrl:]]|\"\")+)\"|^`((?:[^`\\\\[:cntrl:]]|``)+)`")},
	{text, regexp.MustCompile(`^'((?:[^'\\\x00]|'')*)'`)},
	{sign, regexp.MustCompile(`^(<>|!=|<=|>=|[=<>(),.-])`)},
}

// scan returns the tokens of a text. The last one is the end.
func scan(s string) ([]token, error) {
	var list []token
	for s = strings.TrimLeft(s, " \t\r\n"); s != ""; s = strings.TrimLeft(s, " \t\r\n") {
		found, length := first(s)
		if length == 0 || strings.HasPrefix(s, "--") {
			return nil, fmt.Errorf("cannot be read at %.20q: it has names, numbers, texts in single quotes without backslashes, "+
				":parameters, comparisons and parentheses", s)
		}
		list = append(list, found)
		s = s[length:]
	}
	return append(list, token{kind: end}), nil
}

// first returns the token with which s begins, and its length in bytes.
func first(s string) (token, int) {
	for _, t := range tokens {
		m := t.form.FindStringSubmatch(s)
		if m == nil {
			continue
		}
		inside := m[1]
		switch t.kind {
		case text:
			inside = strings.ReplaceAll(inside, "''", "'")
		case quoted:
			mark := m[0][:1]
			inside = strings.ReplaceAll(strings.Join(m[1:], ""), mark+mark, mark)
		}
		return token{t.kind, inside}, len(m[0])
	}
	return token{}, 0
}
