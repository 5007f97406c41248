package esquery

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed/refusal"
)

// A param is a key of an object, with the values that it takes. The tables of
// params refer to no functions: they are plain data, cost nothing to use, and can
// be recursive.
type param struct {
	key      string
	takes    shape
	required bool
	need     need   // of aField
	why      string // of refused and aScript: the reason, and what to use instead
}

// A shape is a set of values. Like the engines, shapes accept "2" as a number and
// "true" as a boolean.
type shape uint8

const (
	anything        shape = iota // checked elsewhere, or by the engine
	aText                        // a string, or a value that engines read as one
	texts                        // a text or an array of texts
	aSwitch                      // a boolean
	aNumber                      // any number
	aBoost                       // a number that is not negative
	aCount                       // a whole number that is not negative
	aPositive                    // a whole number above zero
	anObject                     // an object
	anArray                      // an array
	aField                       // the name of a field that fits need
	aQuery                       // a query
	someQueries                  // a query or an array of queries
	clauses                      // a query, an array of queries, or null
	minimumMatch                 // the value of minimum_should_match
	aFuzziness                   // the value of fuzziness
	someExpansions               // the number of words that a word is expanded to
	aggregationTree              // checked by aggregationsOf
	aSort
	aSource
	fetchedFields
	aHighlight
	aScript // refused
	refused // for the reason in why
)

// params checks the members of v, and reports whether they are right. owner is the
// name of v in messages, such as "match".
func (c *checker) params(v *value, owner string, known []param) bool {
	if !c.is(v, object, owner) {
		return false
	}
	ok := true
	for i := range v.members {
		m := &v.members[i]
		c.in(m.key)
		if p := paramOf(known, m.key); p == nil {
			c.unknownKey(m.key, owner, known)
			ok = false
		} else if !c.takes(&m.value, p) {
			ok = false
		}
		c.out()
	}
	for i := range known {
		if known[i].required && v.get(known[i].key) == nil {
			c.report(ErrMalformed, nil, "%s needs %s", owner, quoted(known[i].key))
			ok = false
		}
	}
	return ok
}

func paramOf(known []param, key string) *param {
	for i := range known {
		if known[i].key == key {
			return &known[i]
		}
	}
	return nil
}

func (c *checker) unknownKey(key, owner string, known []param) {
	names := proposed(known)
	c.report(ErrUnknownKey, refusal.Nearest(key, names, maxCandidates),
		"%s has no parameter %s; it has %s", owner, quoted(key), strings.Join(names, ", "))
}

// proposed returns the keys of known that a message may propose.
func proposed(known []param) (names []string) {
	for i := range known {
		if s := known[i].takes; s != refused && s != aScript {
			names = append(names, known[i].key)
		}
	}
	return names
}

// is reports a value that is not of the kind.
func (c *checker) is(v *value, want kind, owner string) bool {
	if v.kind == want {
		return true
	}
	c.report(ErrMalformed, nil, "%s must be %s, and is %s", owner, want, v.kind)
	return false
}

// takes checks v as the value of p, and reports whether it is right.
func (c *checker) takes(v *value, p *param) bool {
	before := c.faults
	switch p.takes {
	case anything:
	case aText:
		return c.must(isText(v), v, p.key, "a string")
	case texts:
		all := v.kind == array && !slices.ContainsFunc(v.items, func(v value) bool { return !isText(&v) })
		return c.must(all || isText(v), v, p.key, "a string or an array of strings")
	case aSwitch:
		return c.must(isSwitch(v), v, p.key, "true or false")
	case aNumber:
		_, ok := numberOf(v)
		return c.must(ok, v, p.key, "a number")
	case aBoost:
		n, ok := numberOf(v)
		return c.must(ok && n >= 0, v, p.key, "a number that is not negative")
	case aCount:
		_, ok := countOf(v)
		return c.must(ok, v, p.key, "a whole number that is not negative")
	case aPositive:
		n, ok := countOf(v)
		return c.must(ok && n > 0, v, p.key, "a whole number above zero")
	case anObject:
		return c.is(v, object, p.key)
	case anArray:
		return c.is(v, array, p.key)
	case aField:
		return c.must(v.kind == str, v, p.key, "the name of a field") && c.field(&v.text, p.need) != nil
	case aQuery:
		c.query(v)
	case someQueries:
		c.queries(v)
	case clauses:
		c.clausesOf(v, p.key)
	case minimumMatch:
		return c.minimumMatch(v)
	case aFuzziness:
		return c.fuzziness(v)
	case someExpansions:
		n, ok := countOf(v)
		return c.must(ok && n > 0, v, p.key, "a whole number above zero") && c.expansions(n)
	case aScript:
		c.report(ErrScript, nil, "%s", cmp.Or(p.why, "scripts are refused"))
	case refused:
		if v.kind != boolean || v.text != "false" { // it is switched off
			c.report(ErrForbidden, nil, "%s: %s", p.key, p.why)
		}
	case aSort:
		c.sort(v)
	case aSource:
		c.source(v)
	case fetchedFields:
		c.fetched(v)
	case aHighlight:
		c.highlight(v)
	}
	return c.faults == before
}

func (c *checker) must(ok bool, v *value, key, what string) bool {
	if ok {
		return true
	}
	if v.kind == number || v.kind == str {
		c.report(ErrMalformed, nil, "%s must be %s, and is %s", key, what, quoted(v.text))
	} else {
		c.report(ErrMalformed, nil, "%s must be %s, and is %s", key, what, v.kind)
	}
	return false
}

func isText(v *value) bool { return v.kind == str || v.kind == number || v.kind == boolean }

func isSwitch(v *value) bool {
	return v.kind == boolean || v.kind == str && (v.text == "true" || v.text == "false")
}

// numberOf returns the finite number that v is, or that its string holds.
func numberOf(v *value) (float64, bool) {
	if v.kind != number && v.kind != str || strings.ContainsAny(v.text, "xXpP_iInN") {
		return 0, false // ParseFloat accepts more than engines do
	}
	n, err := strconv.ParseFloat(v.text, 64)
	return n, err == nil
}

// countOf returns the whole number of at most 31 bits that v is, or that its
// string holds.
func countOf(v *value) (int, bool) {
	if v.kind != number && v.kind != str {
		return 0, false
	}
	n, err := strconv.ParseUint(v.text, 10, 31)
	return int(n), err == nil
}
