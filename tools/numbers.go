package tools

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/prompt"
)

// A numberSet has the numbers that stand in some data, so that it can be told of a text whether its numbers do. Nil takes none.
type numberSet struct {
	exact    map[string]bool // as number.key has them, without signs
	below    map[string]bool // the negative ones
	sizes    []float64       // of all, without signs; sorted once ready
	negative []float64       // likewise
	ready    bool

	copied   map[string]bool     // what has more than one meaning, or none: as it is written, with its unit
	lettered map[rune]*numberSet // those that a name counts in a letter, such as those of length_m
	columns  []columnUnit        // of the rows; nil before their names are known
}

// columnUnit is what a column's name says of the numbers in it.
type columnUnit struct {
	numberUnit
	names bool // its cells say what the others of a row are counted in
}

func newNumberSet() *numberSet {
	return &numberSet{exact: map[string]bool{}, below: map[string]bool{}, copied: map[string]bool{}, lettered: map[rune]*numberSet{}}
}

// A number is one reading of a number in a text, without its sign: 0.digits times ten to the power of exponent.
type number struct {
	digits   string // without zeros at either end
	exponent int
	place    int // the power of ten of the last digit that is written
	known    int // how many digits are written, without leading zeros
}

// newNumber returns whole.fraction, both digits, times ten to a power.
func newNumber(whole, fraction string, power int) number {
	significant := strings.TrimLeft(whole+fraction, "0")
	n := number{digits: strings.TrimRight(significant, "0"), place: power - len(fraction), known: len(significant)}
	if n.digits != "" {
		n.exponent = n.place + n.known
	}
	return n
}

// times returns n times ten to a power.
func (n number) times(power int) number {
	n.place += power
	if n.digits != "" {
		n.exponent += power
	}
	return n
}

func (n number) key() string { return n.digits + "e" + strconv.Itoa(n.exponent) }

func (n number) value() float64 {
	v, _ := strconv.ParseFloat("0."+n.digits+"0e"+strconv.Itoa(n.exponent), 64) // what is too large is infinite
	return v
}

func (s *numberSet) add(n number, negative bool) {
	s.exact[n.key()] = true
	s.sizes = append(s.sizes, n.value())
	if negative {
		s.below[n.key()] = true
		s.negative = append(s.negative, n.value())
	}
	s.ready = false
}

// addCounted adds n, and also what it is in a unit that its name says.
func (s *numberSet) addCounted(n number, negative bool, u numberUnit) {
	s.add(n, negative)
	if u.power != 0 {
		s.add(n.times(u.power), negative)
	}
	if u.letter != 0 {
		if s.lettered[u.letter] == nil {
			s.lettered[u.letter] = newNumberSet()
		}
		s.lettered[u.letter].add(n, negative)
	}
}

func (s *numberSet) addInt(n int) {
	if s != nil {
		s.add(newNumber(strconv.Itoa(max(n, 0)), "", 0), false)
	}
}

// plainNumber returns a number in the form of Go or JSON without an exponent. One that is too large stays as it is.
func plainNumber(text string) string {
	if strings.ContainsAny(text, "eE") {
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			return strconv.FormatFloat(f, 'f', -1, 64)
		}
	}
	return text
}

// parseNumber reads a number in the form of Go or JSON, and nothing else: 007 is none.
func parseNumber(text string) (n number, negative, ok bool) {
	mantissa, negative := strings.CutPrefix(text, "-")
	power := 0
	if i := strings.IndexAny(mantissa, "eE"); i >= 0 {
		p, err := strconv.ParseInt(mantissa[i+1:], 10, 16)
		if err != nil {
			return n, false, false
		}
		mantissa, power = mantissa[:i], int(p)
	}
	whole, fraction, point := strings.Cut(mantissa, ".")
	notDigit := func(r rune) bool { return r < '0' || r > '9' }
	if whole == "" || len(whole) > 1 && whole[0] == '0' || point && fraction == "" || strings.ContainsFunc(whole+fraction, notDigit) {
		return n, false, false
	}
	return newNumber(whole, fraction, power), negative, true
}

// addText adds the numbers in a text that is data, and those of a JSON text as such.
func (s *numberSet) addText(text string) { s.addTextOf(text, numberUnit{}) }

func (s *numberSet) addTextOf(text string, u numberUnit) {
	if s == nil || !hasNumber(text) {
		return
	}
	if n, negative, ok := parseNumber(text); ok { // such as a decimal
		s.addCounted(n, negative, u)
		return
	}
	if first := strings.TrimLeft(text, " \t\r\n"); first[0] == '{' || first[0] == '[' {
		text = text[s.addValue([]byte(text)):] // a JSON text may be cut off
	}
	for _, w := range writtenNumbers(text, styleOf(text)) {
		for _, reading := range w.readings {
			for _, n := range reading {
				if w.letter != 0 || w.power == 0 {
					s.addCounted(n, w.negative, u)
				}
				s.add(n.times(w.power), w.negative)
			}
		}
		if !w.plain {
			s.copied[w.literal()] = true
			for _, part := range w.parts {
				s.add(newNumber(part, "", 0), false)
			}
		}
	}
}

// addCells adds a line of a table. The first one has the names of the columns.
func (s *numberSet) addCells(cells []any, longest int) {
	if s == nil {
		return
	}
	heading := s.columns == nil
	var row numberUnit
	for i, cell := range cells {
		text, ok := cell.(string)
		switch {
		case heading && ok:
			s.columns = append(s.columns, columnUnit{unitOfName(text), namesUnits(text)})
		case heading:
			s.columns = append(s.columns, columnUnit{})
		case ok && i < len(s.columns) && s.columns[i].names:
			row = row.or(unitOfName(text))
		}
	}
	for i, cell := range cells {
		u := row
		if !heading && i < len(s.columns) {
			u = s.columns[i].or(row)
		}
		switch cell := cell.(type) {
		case string:
			s.addTextOf(prompt.Clip(cell, longest), u)
		case int64, float64:
			s.addTextOf(qed.FormatCell(cell), u)
		}
	}
}

// addJSON adds the numbers in a JSON value, those in its texts and names too.
func (s *numberSet) addJSON(raw json.RawMessage) {
	if s != nil {
		s.addValue(raw)
	}
}

// An openValue is an array or object that is being read.
type openValue struct {
	object  bool
	name    string // of its member that is read; empty before one is
	named   bool
	around  numberUnit // what its numbers are counted in, by the name that it has itself
	said    numberUnit // by a member of it, such as "unit"
	numbers []memberNumber
}

type memberNumber struct {
	text string
	unit numberUnit
}

// of returns what the value that comes next is counted in.
func (o *openValue) of() numberUnit {
	if o.object {
		return unitOfName(o.name).or(o.around)
	}
	return o.around
}

// addValue adds the numbers of JSON values as far as they can be read, and returns how many bytes these are.
func (s *numberSet) addValue(raw []byte) int {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	open := []*openValue{{}}
	end := func(o *openValue) {
		for _, n := range o.numbers {
			s.addTextOf(n.text, n.unit.or(o.said))
		}
	}
	for {
		token, err := d.Token()
		if err != nil {
			for _, o := range open {
				end(o)
			}
			return int(d.InputOffset())
		}
		in := open[len(open)-1]
		if name, ok := token.(string); ok && in.object && !in.named {
			in.name, in.named = name, true
			s.addText(name)
			continue
		}
		switch token := token.(type) {
		case json.Delim:
			if token == '{' || token == '[' {
				open = append(open, &openValue{object: token == '{', around: in.of()})
				continue
			}
			end(in)
			open = open[:len(open)-1]
			in = open[len(open)-1]
		case json.Number:
			in.numbers = append(in.numbers, memberNumber{token.String(), in.of()})
		case string:
			in.numbers = append(in.numbers, memberNumber{token, in.of()})
			if in.object && namesUnits(in.name) {
				in.said = in.said.or(unitOfName(token))
			}
		}
		in.named = false
	}
}

// strangers returns the numbers of a text, as they are written, that do not stand in the data: neither as they are, nor as what one of
// the data is rounded to, nor as a share in percent or so many thousands.
func (s *numberSet) strangers(text string, style numberStyle) []string {
	var strange []string
	for _, w := range writtenNumbers(text, style) {
		if !s.has(w) {
			strange = append(strange, w.text)
		}
	}
	return strange
}

func (s *numberSet) has(w written) bool {
	if s.copied[w.literal()] {
		return true
	}
	for _, reading := range w.readings {
		missing := func(n number) bool {
			return !s.hasNumber(n.times(w.power), w) &&
				!(w.percent && s.hasNumber(n.times(-2), w)) &&
				!(w.letter != 0 && s.lettered[w.letter] != nil && s.lettered[w.letter].hasNumber(n, w))
		}
		if !slices.ContainsFunc(reading, missing) {
			return true
		}
	}
	return false
}

const (
	surestDigits = 2    // a number with fewer is like too many others: it is none that was rounded
	countedOff   = 0.01 // but with a unit, as in 3 million, it may be off by such a part
	floatDigits  = 15   // of a longer number a float64 does not have all
)

// hasNumber reports whether n is in the set, or is one of it when that is rounded to the digits of n. w is what n was written as.
func (s *numberSet) hasNumber(n number, w written) bool {
	if !s.ready {
		slices.Sort(s.sizes)
		slices.Sort(s.negative)
		s.ready = true
	}
	exact, sizes := s.exact, s.sizes
	if w.negative {
		exact, sizes = s.below, s.negative
	}
	if exact[n.key()] {
		return true
	}
	want := n.value()
	if n.known > floatDigits || math.IsInf(want, 0) {
		return false
	}
	off := want * 1e-12
	switch {
	case n.known >= surestDigits:
		off += 0.5 * math.Pow10(n.place)
	case w.power != 0 || w.percent:
		off += want * countedOff
	}
	i, _ := slices.BinarySearch(sizes, want-off)
	return i < len(sizes) && sizes[i] <= want+off
}
