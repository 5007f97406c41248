package lint

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/qedkit/qed/chart/internal/vegalite"
	"github.com/qedkit/qed/internal/textmatch"
)

// A measured is the channel whose numbers are the lengths of a view's marks.
type measured struct {
	name    string
	channel object
	field   *field
	op      string // the aggregate; empty: the numbers themselves
	others  object // the channels that say which mark a row is part of
}

// sense refuses marks that show something else than the rows: several rows in one bar,
// bars that do not begin at zero, sums of averages, shares of more than a whole. o has
// the encoding of the view and of the views around it.
func (l *linter) sense(o object, path, mark string, sc *scope) {
	m := measuredOf(o, mark, sc)
	if m == nil {
		return
	}
	at := pointer(path, m.name)
	if slices.Contains(stackedMarks, mark) {
		l.fromZero(m, at, sc)
		l.addsUp(m, at, o, mark, sc)
	}
	if m.op == "" && !sc.changed && slices.Contains(words("bar area line trail arc"), mark) {
		if n, example := m.crowded(sc); n > 1 {
			l.fault(ErrMalformed, at, "%d rows%s are drawn in one place, as if they were one: name an aggregate, such as sum or mean, "+
				"or a channel that divides them", n, example)
		}
	}
}

// measuredOf returns the measured channel of a view, or nil if it is not clear.
func measuredOf(o object, mark string, sc *scope) *measured {
	if o["x2"] != nil || o["y2"] != nil || o["theta2"] != nil || o["radius2"] != nil {
		return nil
	}
	candidates := words("y x")
	if mark == "arc" {
		candidates = words("theta")
	}
	var found *measured
	for _, name := range candidates {
		c, _ := o[name].(object)
		field, isText := c["field"].(string)
		op, _ := c["aggregate"].(string)
		if !isText || c["bin"] != nil || c["timeUnit"] != nil || c["aggregate"] != nil && op == "" ||
			c["type"] != string(quantitative) && (c["type"] != nil || op == "") {
			continue
		}
		plain, _ := unescape(field)
		if f := sc.fields[plain]; f != nil && isNumber(f) {
			if found != nil {
				return nil
			}
			found = &measured{name, c, f, op, object{}}
		}
	}
	if found == nil {
		return nil
	}
	for name, c := range o {
		if name != found.name && (slices.Contains(positionChannels, name) || slices.Contains(separatingChannels, name) ||
			slices.Contains(words("detail order size opacity text key"), name)) {
			found.others[name] = c
		}
	}
	return found
}

// crowded returns the most rows that one mark shows, and an example of such a mark.
func (m *measured) crowded(sc *scope) (most int, example string) {
	keys, known := m.keys(sc, nil)
	if !known {
		return 0, ""
	}
	count := map[string]int{}
	for _, row := range m.field.numbers.At {
		if count[keys[row]]++; count[keys[row]] > most {
			most, example = count[keys[row]], keys[row]
		}
	}
	if example = strings.TrimSuffix(strings.ReplaceAll(example, "\x00", ", "), ", "); example != "" {
		example = " of " + vegalite.Quoted(example)
	}
	return most, example
}

// keys returns for each row what its mark is identified by, and false if that is not
// known. The channels of skip are left out.
func (m *measured) keys(sc *scope, skip []string) (keys []string, known bool) {
	keys = make([]string, int(sc.rows))
	names := make([]string, 0, len(m.others))
	for name := range m.others {
		names = append(names, name)
	}
	slices.Sort(names)
	seen := map[string]bool{}
	for _, name := range names {
		list, several := m.others[name].([]any)
		if !several {
			list = []any{m.others[name]}
		}
		for _, e := range list {
			c, _ := e.(object)
			if c["aggregate"] != nil || c["bin"] != nil || c["timeUnit"] != nil || c["condition"] != nil {
				return nil, false
			}
			field, isText := c["field"].(string)
			if !isText || slices.Contains(skip, name) || seen[field] {
				if c["field"] != nil && !isText {
					return nil, false
				}
				continue
			}
			seen[field] = true
			plain, _ := unescape(field)
			f := sc.fields[plain]
			if f == nil {
				return nil, false
			}
			for row, cell := range f.cells {
				keys[row] += fmt.Sprint(cell) + "\x00"
			}
		}
	}
	return keys, true
}

// fromZero refuses an axis on which the length of a bar is not its number.
func (l *linter) fromZero(m *measured, at string, sc *scope) {
	scale, _ := m.channel["scale"].(object)
	if scale["zero"] == false {
		l.fault(ErrMalformed, at+"/scale/zero", "the length of a bar is its number, so bars and areas begin at zero: leave it out, or draw points")
	}
	domain, _ := scale["domain"].([]any)
	if len(domain) != 2 {
		return
	}
	low, ok1 := number(domain[0])
	high, ok2 := number(domain[1])
	switch {
	case !ok1 || !ok2:
	case low > 0 || high < 0:
		l.fault(ErrMalformed, at+"/scale/domain", "the length of a bar is its number, so the domain of bars and areas has zero in it")
	case m.op == "" && !sc.changed && slices.ContainsFunc(m.field.numbers.Numbers, func(v float64) bool { return v < low || v > high }):
		l.fault(ErrMalformed, at+"/scale/domain", "some of the numbers of %s are not in it, and their bars would leave the chart", vegalite.Quoted(m.field.name))
	}
}

// addsUp refuses sums and stacks of averages, and of shares that are more than a whole.
func (l *linter) addsUp(m *measured, at string, o object, mark string, sc *scope) {
	average, share := kindOfRate(m.field.name)
	stacked := m.op == "" && l.stacks(m.channel, mark) && (mark == "arc" || parted(o, m.name))
	if !average && !share || m.channel["stack"] == "normalize" && !average || m.op != "sum" && !stacked {
		return
	}
	if average {
		l.fault(ErrAggregateType, at, "%s is an average or a rate by its name, and these do not add up: draw the mean, "+
			"or parts side by side, or compute it in the query for what a bar shows", vegalite.Quoted(m.field.name))
		return
	}
	keys, known := m.keys(sc, words("color fill stroke detail order opacity size text key"))
	if !known || sc.changed {
		return
	}
	whole, total := 1.005, map[string]float64{}
	for i, row := range m.field.numbers.At {
		v := m.field.numbers.Numbers[i]
		if total[keys[row]] += v; math.Abs(v) > 1.005 {
			whole = 100.5
		}
	}
	for _, sum := range total {
		if sum > whole {
			l.fault(ErrAggregateType, at, "the shares of %s that one bar would add up are %.4g together, more than a whole: "+
				"they are shares of different wholes, so draw them side by side", vegalite.Quoted(m.field.name), sum)
			return
		}
	}
}

// kindOfRate says whether a column has averages or shares, by its name.
func kindOfRate(name string) (average, share bool) {
	if strings.Contains(name, "%") {
		share = true
	}
	for word := range strings.FieldsSeq(strings.ToLower(textmatch.Spaced(name))) {
		average = average || averageWords[word] || strings.HasSuffix(word, "quote") && word != "quote"
		share = share || shareWords[word] || strings.HasSuffix(word, "anteil")
	}
	return average, share
}

var (
	averageWords = wordSet("avg average mean median rate ratio durchschnitt durchschnittlich durchschnittliche mittelwert")
	shareWords   = wordSet("share percent percentage pct prozent")
)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, word := range words(list) {
		set[word] = true
	}
	return set
}

// percents refuses formats that show a number as a hundred times as many percent, for
// numbers that are percents already.
func (l *linter) percents(o object, path string, f *field, op string) {
	if !isNumber(f) || o["stack"] == "normalize" || slices.Contains(countingOps, op) || slices.Contains(words("variance variancep product"), op) {
		return
	}
	largest := 0.0
	for _, v := range f.numbers.Numbers {
		largest = max(largest, math.Abs(v))
	}
	_, share := kindOfRate(f.name)
	if largest <= 1.05 || !share && largest <= 10 {
		return
	}
	check := func(v any, at string) {
		if s, _ := v.(string); strings.HasSuffix(s, "%") || strings.HasSuffix(s, "p") && s != "p" {
			l.fault(ErrMalformed, at, "it writes %.4g of %s as %.4g %%: write a format without a percent sign, and the unit in the title",
				largest, vegalite.Quoted(f.name), 100*largest)
		}
	}
	check(o["format"], path+"/format")
	for _, key := range words("axis legend header") {
		if inner, ok := o[key].(object); ok {
			check(inner["format"], pointer(path, key)+"/format")
		}
	}
}
