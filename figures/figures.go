// Package figures keeps the numbers of a text true to data: it fills in the ones
// that a model refers to, and lists the ones that it typed and that the data does
// not hold.
//
// A model that writes an answer gets the rows as [Rows] returns them, and [Syntax].
// It writes references, and a [Text] replaces them by values while they stream:
//
//	out := figures.NewText(figures.Source{
//		Tables: []figures.Table{{Rows: rows}},
//		Data:   []any{question},
//	}, emit)
//	out.Write("{r1.name} worked {r1.hours} hours, {share r1.hours of sum hours} of all.")
//	result := out.Close()
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
// Numbers are read as people write them: grouped (1,234,567 or 1 234 567),
// rounded (4.17 for 4.1666), as a percentage (24 % for 0.237) and scaled
// (1.2 million, $3m, 20k). The package compares values only. It does not check
// that a number is about the same thing in the text and in the data, and it
// does not read numbers that are spelled out, such as "twenty".
package figures

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
)

// A Set holds the numbers of some data. The zero value is an empty set. A Set is
// not safe for concurrent use.
type Set struct {
	sizes    []float64 // all numbers, without signs
	negative []float64 // the negative numbers, without signs
	sorted   bool
	literals map[string]bool // numbers as they are written, for those that have no one value
}

// Add adds the numbers of a value: a number, a text, a [json.RawMessage], or
// anything that has a JSON form. Numbers in texts and in the names of members
// count too.
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
			own := powerOfName(name)
			if own == 0 {
				own = power
			}
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
	if n, ok := plainNumber(text); ok {
		s.addReading(n.readings[0], n.Negative, power)
		return
	}
	for _, n := range Find(text, StyleOf(text)) {
		s.addLiteral(n.literal())
		for _, r := range n.readings {
			if n.power == 0 || n.unsure {
				s.addReading(r, n.Negative, power)
			}
			if n.power != 0 {
				s.addReading(r.times(n.power), n.Negative, 0)
			}
		}
	}
}

func (s *Set) addReading(r reading, negative bool, power int) {
	s.sizes = append(s.sizes, r.value())
	if negative {
		s.negative = append(s.negative, r.value())
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

// Missing returns the numbers of a text that are not in the set, in the order of
// the text. A number is in the set if the data holds it, holds a number that is
// rounded to it, or, for a percentage, holds the share. A number with one digit
// is never treated as rounded, because it would match too much; with a scale or
// as a percentage, as in 3 million, it may be off by 1 %. A number of the text
// without a sign matches a negative number too, as in "fell by 3.25".
//
// style is how the text writes numbers: see [StyleOf].
func (s *Set) Missing(text string, style Style) []Number {
	return slices.DeleteFunc(Find(text, style), func(n Number) bool { return s.has(&n) })
}

func (s *Set) has(n *Number) bool {
	if n.readings == nil || s.literals[n.literal()] {
		return s.literals[n.literal()]
	}
	return !slices.ContainsFunc(n.readings, func(r reading) bool {
		return !s.hasReading(r.times(n.power), n) &&
			!(n.Percent && s.hasReading(r.times(-2), n)) &&
			!(n.unsure && s.hasReading(r, n))
	})
}

const (
	roundedDigits = 2    // a number with fewer digits is not treated as rounded
	scaledOff     = 0.01 // the part by which a scaled number of one digit may be off
	floatDigits   = 15   // a float64 does not hold all digits of a longer number
)

// hasReading reports whether r, which n is read as, is in the set or is a number
// of the set rounded to the digits of r.
func (s *Set) hasReading(r reading, n *Number) bool {
	if !s.sorted {
		slices.Sort(s.sizes)
		slices.Sort(s.negative)
		s.sorted = true
	}
	if len(r.digits) > floatDigits {
		return s.literals[r.digits]
	}
	sizes := s.sizes
	if n.Negative {
		sizes = s.negative
	}
	want := r.value()
	off := want * 1e-12
	switch {
	case math.IsInf(want, 0):
		return false
	case len(strings.TrimLeft(r.digits, "0")) >= roundedDigits:
		off += 0.5 * math.Pow10(r.last)
	case n.power != 0 || n.Percent:
		off += want * scaledOff
	}
	i, _ := slices.BinarySearch(sizes, want-off)
	return i < len(sizes) && sizes[i] <= want+off
}
