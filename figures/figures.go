// Package figures keeps the numbers of a text true to data: it fills in the ones
// that a model refers to, and lists the ones that it typed and that the data does
// not prove.
//
// A model that writes an answer gets the rows as [Rows] returns them, and [Syntax].
// It writes references, and a [Text] replaces them by values while they stream:
//
//	out := figures.NewText(figures.Source{
//		Tables: []figures.Table{{Rows: rows}},
//		Data:   []any{question},
//	}, emit)
//	out.Write("{r1.name} worked {r1.hours} hours, {share r1.hours of sum hours} of all.")
//	result := out.Close(ctx)
//
// The result has the origin of each value, and the numbers that the model typed
// although it should not.
//
// To check a text without references, add the data to a [Set] and call
// [Set.Missing]:
//
//	var data figures.Set
//	data.Add("", json.RawMessage(`{"total": 1234567, "share": 0.237}`))
//	wrong := data.Missing("1.2 million in total, 24 % of them late, 31 lost", figures.PointDecimal)
//
// # What is checked
//
// Numbers are read as people write them: grouped (1,234,567 or 1 234 567),
// rounded (4.17 for 4.1666), as a percentage (24 % for 0.237) and scaled
// (1.2 million, $3m, 20k). The package compares values only. It does not check
// that a number is about the same thing in the text and in the data, and it
// does not read numbers that are spelled out in a text, such as "twenty".
//
// Only amounts are checked. Dates, times, years next to words of time, ordinals,
// versions, identifiers with letters (WO-10229), numbers of things (§ 12, No. 7,
// Week 7), numbers of list items and short quotations claim no amount, and nothing
// is said about them. Neither is it about a number in several parts, such as
// 1億2345万, and about the 5 and the 10 of a rating such as 4.5/5.
//
// # When data proves a number
//
// Data with many numbers holds nearly every short number by chance: 1,000 rows
// with whole numbers below 1,000 prove no "37". So for each number that a model
// typed, the package computes how many of the numbers with as many digits and the
// same scale the data holds, in full or rounded. That share is the chance that a
// random number is found.
//
//   - The number is proved if the chance is at most 2 %. If it is greater because
//     of rounding, a cell with exactly the number proves it where the chance for
//     exact numbers is at most 2 %.
//   - It is not checked if it is found with a greater chance. A [Text] says
//     nothing about it if it is a whole number of one digit, or if the data has at
//     most 100 amounts, such as 25 rows of four, which a reader can compare. With
//     more amounts it is listed as unproved. The limit for each of the other data,
//     such as statistics, is 500 amounts: it was computed by code or written by a
//     person, and a text repeats more of it.
//   - It is contradicted, or made up, if it is not found: [Set.Missing] and a
//     [Text] list it.
package figures

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/numeral"
)

// A Set holds the numbers of some data. The zero value is an empty set. A Set is
// not safe for concurrent use.
type Set struct {
	sizes    []float64 // all amounts, without signs: the two below, when sorted
	positive []float64 // the others
	negative []float64 // the negative amounts, without signs
	names    []float64 // whole numbers that name something and are not rounded
	sorted   bool
	literals map[string]bool // numbers as they are written, for those that have no one value
	chances  map[form]chance
}

// Add adds the numbers of a value: a number, a text, a [json.RawMessage], or
// anything that has a JSON form. Numbers in texts and in the names of members
// count too, and so do numbers that a text spells out in English or German.
//
// Name is what the value is called, such as the name of its column; it may be
// empty. If the name says what the numbers are counted in, such as
// revenue_millions or cost_keur, then 20 in the data is also 20 million or 20
// thousand. The same holds for the names of the members of objects.
func (s *Set) Add(name string, value any) {
	s.addText(name, 0)
	s.add(value, powerOfName(name))
}

func (s *Set) add(value any, power int) {
	switch v := value.(type) {
	case nil, bool:
	case string:
		s.addText(v, power)
	case json.Number, int, int64, float64:
		s.addText(fmt.Sprint(v), power)
	case []any:
		for _, e := range v {
			s.add(e, power)
		}
	case map[string]any:
		for name, e := range v {
			s.addText(name, 0)
			own := cmp.Or(powerOfName(name), power)
			s.add(e, own)
		}
	default:
		raw, err := json.Marshal(v)
		if broken, ok := value.(json.RawMessage); ok && err != nil {
			s.addText(string(broken), power)
			return
		}
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		var decoded any
		if err == nil && d.Decode(&decoded) == nil {
			s.add(decoded, power)
		}
	}
}

// addText adds the numbers of a text, both as they are written and, if power is
// not 0, times ten to that power.
func (s *Set) addText(text string, power int) {
	if r, negative, ok := plainNumber(text); ok {
		s.addReading(r, negative, power)
		return
	}
	style := StyleOf(text)
	for text != "" { // in pieces, so that long texts need little memory
		n := len(text)
		if n > maxPiece {
			n = maxPiece + 1 + strings.IndexAny(text[maxPiece:], " \n")
			if n == maxPiece {
				n = len(text)
			}
		}
		for _, n := range Find(text[:n], style) {
			s.addNumber(&n, power)
		}
		s.addWords(text[:n])
		text = text[n:]
	}
}

const maxPiece = 64 << 10 // bytes

func (s *Set) addNumber(n *Number, power int) {
	if !n.plain || n.readings == nil {
		s.addLiteral(n.literal())
	}
	if n.meaning == code || n.meaning == instant || n.meaning == year && n.readings == nil {
		for digits := range strings.FieldsFuncSeq(n.Text, isNoDigit) {
			if n.meaning == code || isYear(digits) {
				s.addName(newReading(digits, ""))
			}
		}
		return
	}
	for _, r := range n.readings {
		switch {
		case n.meaning == day || n.meaning == hour:
		case n.meaning != amount:
			s.addName(r)
		default:
			if n.power == 0 || n.unsure {
				s.addReading(r, n.Negative, power)
			}
			if n.power != 0 {
				s.addReading(r.times(n.power), n.Negative, 0)
			}
		}
	}
}

func (s *Set) addName(r reading) {
	if s.names, s.sorted = append(s.names, r.value()), false; len(r.digits) > floatDigits {
		s.addLiteral(r.digits)
	}
}

func (s *Set) addReading(r reading, negative bool, power int) {
	if negative {
		s.negative = append(s.negative, r.value())
	} else {
		s.positive = append(s.positive, r.value())
	}
	if len(r.digits) > floatDigits {
		s.addLiteral(r.digits)
	}
	s.sorted = false
	if power != 0 {
		s.addReading(r.times(power), negative, 0)
	}
}

func (s *Set) addLiteral(text string) {
	if s.literals == nil {
		s.literals = map[string]bool{}
	}
	s.literals[text] = true
}

// addWords adds the numbers that a text spells out.
func (s *Set) addWords(text string) {
	for _, n := range numeral.Find(text) {
		if !n.Ordinal {
			s.names, s.sorted = append(s.names, float64(n.Value)), false
		}
	}
}

// Missing returns the amounts of a text that are not in the set, in the order of
// the text. An amount is in the set if the data holds it, holds a number that is
// rounded to it, or, for a percentage, holds the share. Words before it say how else it
// may be rounded: "about 129,000" to its zeros, and "over 23 %" to what is not more than
// 24. A whole number with one digit is never treated as rounded, because it would match
// too much; with a scale or as a percentage, as in 3 million, it may be off by 1 %. A
// number of the text without a sign matches a negative number too, as in "fell by 3.25",
// unless words next to it say that something rose.
//
// That an amount is in the set does not prove it: see the package documentation.
// Missing also returns numbers of things, such as § 12, and identifiers with three
// digits in a row that the data does not have at all. It never returns dates, times
// and ordinals.
//
// style is how the text writes numbers: see [StyleOf].
func (s *Set) Missing(text string, style Style) []Number { return Missing(text, style, s) }

// Missing returns the amounts of a text that are in none of the sets: see
// [Set.Missing].
func Missing(text string, style Style, sets ...*Set) []Number {
	return slices.DeleteFunc(Find(text, style), func(n Number) bool {
		return slices.ContainsFunc(sets, func(s *Set) bool { return !s.contradicts(&n) })
	})
}

// contradicts reports whether the set does not have n in any form.
func (s *Set) contradicts(n *Number) bool {
	if n.meaning != code && n.meaning != numbered {
		return s.verdict(n) == contradicted
	}
	s.sort()
	if v := math.Abs(n.Value); holds(s.names, v, v) || holds(s.sizes, v, v) { // page 1,234
		return false
	}
	for digits := range strings.FieldsFuncSeq(n.Text, isNoDigit) {
		v := newReading(digits, "").value()
		short := n.meaning == code && len(digits) < 3 // as in Q3 and 1.2.3
		if !short && !holds(s.names, v, v) && !holds(s.sizes, v, v) && !s.literals[n.literal()] {
			return true
		}
	}
	return false
}

func isNoDigit(r rune) bool { return r < '0' || r > '9' }

// A verdict is what the comparison of a number with data says.
type verdict int

const (
	contradicted verdict = iota // it is not in the data
	notChecked                  // it is in the data, but a random number could be
	proved
)

// The numbers of amounts up to which a reader can compare data: rows, and other data,
// which is what code computed or a person wrote.
const (
	smallTables = 100
	smallData   = 500
)

// allows reports whether a text may state n. small is one of the constants above.
func (s *Set) allows(n *Number, small int) bool {
	switch s.verdict(n) {
	case proved:
		return true
	case notChecked:
		return len(s.sizes) <= small || n.plain && n.end-n.begin == 1
	}
	return false
}

// verdict returns proved for what is no amount: it claims nothing.
func (s *Set) verdict(n *Number) verdict {
	if n.meaning != amount {
		return proved
	}
	written := s.literals[n.literal()]
	if n.readings == nil && !written {
		return contradicted
	}
	v := proved
	for _, r := range n.readings {
		v = min(v, s.verdictOf(r, n, written))
	}
	return v
}

const (
	roundedDigits = 2    // a whole number with fewer digits is not treated as rounded
	scaledOff     = 0.01 // the part by which a scaled number of one digit may be off
	floatDigits   = 15   // a float64 does not hold all digits of a longer number
	maxChance     = 0.02 // that data with a random number proves it
)

// verdictOf returns the verdict on r, which n is read as. If n is written in the data
// in the same way, its style does not matter.
func (s *Set) verdictOf(r reading, n *Number, written bool) verdict {
	s.sort()
	rounded, exact := written, written
	var all chance
	for _, form := range n.forms(r) {
		in, exactly := s.holds(form, n)
		rounded, exact = rounded || in, exact || exactly
		c := s.chance(form, n, false)
		all.rounded, all.exact = all.rounded+c.rounded, all.exact+c.exact
	}
	for _, form := range n.hedged(r) {
		rounded = rounded || s.holdsHedged(form, n)
		all.rounded += s.chance(form, n, true).rounded
	}
	switch {
	case !rounded && !exact:
		return contradicted
	case all.rounded <= maxChance, exact && all.exact <= maxChance:
		return proved
	}
	return notChecked
}

// forms returns the amounts that r can mean, which n is read as: 12 % is 12 or 0.12.
func (n *Number) forms(r reading) []reading {
	forms := []reading{r.times(n.power)}
	if n.Percent {
		forms = append(forms, r.times(-2))
	}
	if n.unsure {
		forms = append(forms, r)
	}
	return forms
}

func (s *Set) sort() {
	if s.sorted {
		return
	}
	s.sizes = append(append(s.sizes[:0], s.positive...), s.negative...)
	for _, all := range []*[]float64{&s.sizes, &s.positive, &s.negative, &s.names} {
		slices.Sort(*all)
		*all = slices.Compact(*all)
	}
	s.sorted, s.chances = true, map[form]chance{}
}

// amounts returns the amounts with which a number is compared.
func (s *Set) amounts(of sign) []float64 {
	switch of {
	case minus:
		return s.negative
	case plus:
		return s.positive
	}
	return s.sizes
}

// holds reports whether r, which n is read as, is in the set: as an amount that is
// rounded to the digits of r, and exactly.
func (s *Set) holds(r reading, n *Number) (rounded, exact bool) {
	if len(r.digits) > floatDigits {
		return s.literals[r.digits], s.literals[r.digits]
	}
	want := r.value()
	off := want * 1e-12
	if math.IsInf(want, 0) {
		return false, false
	}
	amounts := s.amounts(n.sign)
	exact = holds(amounts, want-off, want+off) || !n.Negative && holds(s.names, want-off, want+off)
	switch {
	case len(r.digits) >= roundedDigits || r.last < 0:
		off += 0.5 * math.Pow10(r.last)
	case n.power != 0 || n.Percent:
		off += want * scaledOff
	}
	return exact || holds(amounts, want-off, want+off), exact
}

// holds reports whether sorted numbers have one from low to high.
func holds(sorted []float64, low, high float64) bool {
	i, _ := slices.BinarySearch(sorted, low)
	return i < len(sorted) && sorted[i] <= high
}

// A form is how a number is written: with how many digits, of which the last counts
// tens to which power.
type form struct {
	digits, last int
	sign         sign
	loose        bool // a whole number of one digit may be rounded
}

// A chance is which part of the numbers of a form a set holds.
type chance struct{ rounded, exact float64 }

// chance returns the chance that the set holds a random number in the form of r.
func (s *Set) chance(r reading, n *Number, hedged bool) chance {
	f := form{len(r.digits), r.last, n.sign, hedged || n.power != 0 || n.Percent}
	c, ok := s.chances[f]
	if ok || f.digits == 0 || f.digits > floatDigits {
		return c
	}
	unit, first := math.Pow10(f.last), math.Pow10(f.digits-1)
	rounded, exact := countForms(s.amounts(f.sign), first, unit)
	if f.digits < roundedDigits && !f.loose && f.last >= 0 {
		rounded = exact
	}
	if f.sign != minus {
		_, names := countForms(s.names, first, unit)
		rounded, exact = rounded+names, exact+names
	}
	c = chance{float64(rounded) / (9 * first), float64(exact) / (9 * first)}
	s.chances[f] = c
	return c
}

// countForms returns how many whole numbers from first to ten times first are those of
// sorted numbers in a unit, rounded and exactly.
func countForms(sorted []float64, first, unit float64) (rounded, exact int) {
	i, _ := slices.BinarySearch(sorted, (first-0.5)*unit)
	last, lastExact := -1.0, -1.0
	for ; i < len(sorted); i++ {
		v := sorted[i] / unit
		k := math.Round(v)
		if k >= 10*first {
			break
		}
		if k != last {
			rounded, last = rounded+1, k
		}
		if k != lastExact && math.Abs(v-k) <= k*1e-12 {
			exact, lastExact = exact+1, k
		}
	}
	return rounded, exact
}
