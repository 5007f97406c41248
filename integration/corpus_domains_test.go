package integration_test

import (
	"hash/fnv"
	"regexp"
	"strings"
)

// kind is the type of a column. The corpora have no types, and some engines do not
// compare values of different types.
type kind uint8

const (
	integerKind kind = iota
	decimalKind
	floatKind
	textKind
	dateKind
	timestampKind
)

// domain holds what is known about columns that statements compare with each other, or
// that a foreign key joins. They have one kind: the one with which most statements run.
type domain struct {
	same *domain // the domain that this one was merged into; nil: none

	column   string   // the first column
	literals []string // the values that it is compared with

	numbers  int  // uses in a calculation or a comparison with a number
	texts    int  // comparisons with a text
	dates    int  // comparisons with a date or a timestamp
	digits   int  // comparisons with a text that is a number
	fraction bool // a number has a fraction
	time     bool // a date has a time
}

var (
	wholeNumber = regexp.MustCompile(`^[+-]?[0-9]{1,18}$`)
	anyNumber   = regexp.MustCompile(`^[+-]?[0-9]{1,12}(\.[0-9]{0,6})?$`)
	isoDate     = regexp.MustCompile(`^(19|20)[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])$`)
	isoTime     = regexp.MustCompile(`^(19|20)[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8]) ([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]$`)
)

// numberDomain returns the domain of a number or of a calculated value.
func numberDomain(literals ...string) *domain {
	d := &domain{numbers: 1, literals: literals}
	for _, l := range literals {
		d.fraction = strings.Contains(l, ".")
	}
	return d
}

// textDomain returns the domain of a string.
func textDomain(literal string) *domain {
	d := &domain{literals: []string{literal}}
	switch {
	case isoDate.MatchString(literal):
		d.dates = 1
	case isoTime.MatchString(literal):
		d.dates, d.time = 1, true
	case anyNumber.MatchString(literal):
		d.digits, d.fraction = 1, strings.Contains(literal, ".")
	default:
		d.texts = 1
	}
	return d
}

func (d *domain) root() *domain {
	for d.same != nil {
		d = d.same
	}
	return d
}

// join merges two domains. A nil domain means that nothing is known.
func join(a, b *domain) *domain {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	if a, b = a.root(), b.root(); a == b {
		return a
	}
	b.same = a
	if a.column == "" {
		a.column = b.column
	}
	a.literals = append(a.literals, b.literals...)
	a.numbers += b.numbers
	a.texts += b.texts
	a.dates += b.dates
	a.digits += b.digits
	a.fraction = a.fraction || b.fraction
	a.time = a.time || b.time
	return a
}

func (d *domain) kind() kind {
	named := namedKind(d.column)
	isNumber := named == integerKind || named == decimalKind || named == floatKind
	switch {
	case d.texts > 0 && d.texts+d.dates >= d.numbers, d.dates > 0 && d.digits > 0:
		return textKind
	case d.dates > d.numbers && d.time:
		return timestampKind
	case d.dates > d.numbers:
		return dateKind
	case d.numbers == 0 && d.digits == 0:
		return named
	case d.numbers == 0 && (d.fraction || named != integerKind):
		return textKind
	case d.fraction && named != floatKind:
		return decimalKind
	case isNumber:
		return named
	}
	return integerKind
}

// namedKind guesses the kind of a column from its name. Other columns are distributed
// evenly.
func namedKind(column string) kind {
	lower := strings.ToLower(column)
	has := func(parts ...string) bool {
		for _, part := range parts {
			if strings.Contains(lower, part) {
				return true
			}
		}
		return false
	}
	switch {
	case has("date"):
		return dateKind
	case has("time"):
		return timestampKind
	case strings.HasSuffix(lower, "id"), has("number", "year", "age"):
		return integerKind
	case has("name", "code", "type"):
		return textKind
	}
	h := fnv.New32()
	h.Write([]byte(lower))
	return []kind{integerKind, textKind, decimalKind, floatKind}[h.Sum32()%4]
}
