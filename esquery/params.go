package esquery

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed/refusal"
)

// A param is a key that may stand in some object, and what its value may be. The
// tables of them are plain data that refers to no function, so that they cost
// nothing to use, and may lead back to themselves.
type param struct {
	key      string
	takes    shape
	required bool
	old      bool     // another name for one of the others: it is taken, and never proposed
	need     need     // of aField and fields: what they must be capable of
	words    []string // of aWord: those that there are
	why      string   // of refused and aScript: what is wrong with it, and what to use instead
}

// shape is what a value may be. Engines read "2" as a number and "true" as a
// boolean, and so do the shapes.
type shape uint8

const (
	anything       shape = iota // it is looked at elsewhere, or by nobody
	aText                       // a string, or what engines read as one
	texts                       // a text or an array of them
	aWord                       // one of words, in either letter case
	exactWord                   // one of words, as it stands there
	aSwitch                     // a boolean
	aNumber                     // any number
	aBoost                      // a number that is not negative
	aCount                      // a whole number that is not negative
	aPositive                   // a whole number above zero
	anObject                    // an object
	anArray                     // an array
	aField                      // the name of a field that is capable of need
	fields                      // such a name, or an array of them
	aQuery                      // a query
	someQueries                 // a query or an array of them
	clauses                     // the same, or null
	anInnerHits                 // what inner_hits takes
	minimumMatch                // what minimum_should_match takes
	aFuzziness                  // what fuzziness takes
	aRewrite                    // what rewrite takes
	someExpansions              // how many words one stands for
	someFlags                   // some of words, with | between them
	aScript                     // a script: refused
	refused                     // refused for the reason why
)

// params checks the members of v against what may stand there, and reports whether
// they are as they should be. owner names v in messages, such as "match".
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
	names := make([]string, 0, len(known))
	for i := range known {
		if s := known[i].takes; s != refused && s != aScript && !known[i].old {
			names = append(names, known[i].key)
		}
	}
	c.report(ErrUnknownKey, refusal.Nearest(key, names, maxCandidates),
		"%s has no parameter %s; it has %s", owner, quoted(key), strings.Join(names, ", "))
}

// is notes a value of another kind than it must be.
func (c *checker) is(v *value, want kind, owner string) bool {
	if v.kind == want {
		return true
	}
	c.report(ErrMalformed, nil, "%s must be %s, and is %s", owner, want, v.kind)
	return false
}

// takes checks v, the value of p, and reports whether it is as it should be.
func (c *checker) takes(v *value, p *param) bool {
	before := c.faults
	switch p.takes {
	case anything:
	case aText:
		return c.must(isText(v), v, p.key, "a string")
	case texts:
		return c.must(v.kind == array && allTexts(v.items) || isText(v), v, p.key, "a string or an array of strings")
	case aWord, exactWord:
		return c.word(v, p)
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
	case fields:
		return c.fieldNames(v, p)
	case aQuery:
		c.query(v)
	case someQueries:
		c.queries(v)
	case clauses:
		c.clausesOf(v, p.key)
	case anInnerHits:
		c.innerHits(v)
	case minimumMatch:
		return c.minimumMatch(v)
	case aFuzziness:
		return c.fuzziness(v)
	case aRewrite:
		return c.rewrite(v)
	case someExpansions:
		n, ok := countOf(v)
		return c.must(ok && n > 0, v, p.key, "a whole number above zero") && c.expansions(n)
	case someFlags:
		return c.flags(v, p)
	case aScript:
		c.report(ErrScript, nil, "%s", cmp.Or(p.why, "scripts are refused"))
	case refused:
		c.report(ErrForbidden, nil, "%s: %s", p.key, p.why)
	default:
		c.part(v, p.takes)
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

func (c *checker) word(v *value, p *param) bool {
	if v.kind == str {
		for _, w := range p.words {
			if w == v.text || p.takes != exactWord && strings.EqualFold(w, v.text) {
				return true
			}
		}
	}
	if !c.must(v.kind == str, v, p.key, "one of "+strings.Join(p.words, ", ")) {
		return false
	}
	c.report(ErrMalformed, refusal.Nearest(v.text, p.words, maxCandidates),
		"%s must be one of %s, and is %s", p.key, strings.Join(p.words, ", "), quoted(v.text))
	return false
}

// fieldNames checks a list of names, each without a wildcard.
func (c *checker) fieldNames(v *value, p *param) bool {
	if v.kind == str {
		return c.field(&v.text, p.need) != nil
	}
	if !c.must(v.kind == array, v, p.key, "the name of a field or an array of them") {
		return false
	}
	ok := true
	for i := range v.items {
		c.at(i)
		if !c.must(v.items[i].kind == str, &v.items[i], p.key, "the name of a field") || c.field(&v.items[i].text, p.need) == nil {
			ok = false
		}
		c.out()
	}
	return ok
}

func isText(v *value) bool { return v.kind == str || v.kind == number || v.kind == boolean }

func allTexts(items []value) bool {
	return !slices.ContainsFunc(items, func(v value) bool { return !isText(&v) })
}

func isSwitch(v *value) bool {
	return v.kind == boolean || v.kind == str && (v.text == "true" || v.text == "false")
}

// numberOf returns the finite number that v is, or holds as a string.
func numberOf(v *value) (float64, bool) {
	if v.kind != number && v.kind != str || strings.ContainsAny(v.text, "xXpP_iInN") {
		return 0, false // only decimal digits, although Go reads more
	}
	n, err := strconv.ParseFloat(v.text, 64)
	return n, err == nil
}

// countOf returns the whole number that v is, or holds as a string, from 0 to what
// 31 bits hold.
func countOf(v *value) (int, bool) {
	if v.kind != number && v.kind != str {
		return 0, false
	}
	n, err := strconv.ParseUint(v.text, 10, 31)
	return int(n), err == nil
}
