package lint

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/qedkit/qed/chart/internal/vegalite"
	"github.com/qedkit/qed/internal/column"
)

// A measured is the channel whose numbers are the lengths of a view's marks.
type measured struct {
	name    string
	channel object
	field   *field // nil: computed or counted, the numbers are not known
	op      string // the aggregate; empty: the numbers themselves
	others  object // the channels that say which mark a row is part of
	stacked bool   // the marks of one position lie on top of each other
	rows    *scope
}

// drawnMarks are the marks that show one number at each position.
var drawnMarks = words("bar area line trail arc rect")

// sense refuses marks that show something else than the rows: several rows in one bar,
// bars that do not begin at zero, sums of averages, shares of more than a whole. o has
// the encoding of the view and of the views around it.
func (l *linter) sense(o object, path string, markValue any, sc *scope) {
	mark := vegalite.MarkName(markValue)
	if !slices.Contains(drawnMarks, mark) {
		mark = "" // a point may lie anywhere
	}
	bars := slices.Contains(stackedMarks, mark)
	if bars && l.begins(o, path) {
		return
	}
	m := measuredOf(o, markValue, sc)
	if m == nil {
		l.named(o, path, mark, sc)
		return
	}
	m.stacked = l.stacks(m.channel, mark) && (mark == "arc" || parted(o, m.name))
	at := pointer(path, m.name)
	if bars && mark != "arc" {
		l.fromZero(m, at)
	}
	if m.stacked && !vegalite.AddsUp(m.op) {
		l.fault(ErrAggregateType, at, `the %s of parts cannot be stacked, because it does not add up to that of the whole: `+
			`write "stack": null and give the parts an xOffset or a yOffset, or draw a line`, m.op)
		return
	}
	if m.field != nil && l.addsUp(m, at) || mark == "" || m.op != "" || m.channel["field"] == nil {
		return
	}
	if n, example := m.crowded(); n > 1 {
		l.fault(ErrMalformed, at, "%d rows%s are drawn in one place, as if they were one: name an aggregate, such as sum or mean, "+
			"or a channel that divides them", n, example)
	}
}

// named refuses numbers that a bar or a line shows as names, in equal steps, where no other
// channel gives the mark its height.
func (l *linter) named(o object, path, mark string, sc *scope) {
	if !slices.Contains(words("bar line area trail"), mark) || o["x2"] != nil || o["y2"] != nil {
		return
	}
	for name, across := range map[string]string{"y": "x", "x": "y"} {
		c, _ := o[name].(object)
		other, _ := o[across].(object)
		text, _ := c["field"].(string)
		plain, _ := vegalite.Unescape(text)
		f := sc.fields[plain]
		discrete := (c["type"] == string(vegalite.Nominal) || c["type"] == string(vegalite.Ordinal)) &&
			c["bin"] == nil && c["timeUnit"] == nil && c["aggregate"] == nil
		if f != nil && discrete && other["field"] != nil && (name == "y" || mark == "bar") &&
			isNumber(f) && !column.IsIdentifier(f.name) && !column.IsCalendar(f.name) {
			l.fault(ErrFieldType, pointer(path, name)+"/type", `the numbers of %q would be names in equal steps: write "quantitative"`, f.name)
		}
	}
}

// begins refuses bars from another number than zero to their value.
func (l *linter) begins(o object, path string) bool {
	for _, name := range words("x2 y2") {
		c, _ := o[name].(object)
		if from, ok := number(c["datum"]); ok && from != 0 {
			l.fault(ErrMalformed, pointer(path, name), "the length of a bar is its number, so bars begin at zero: leave it out, or draw points")
			return true
		}
	}
	return false
}

// measuredOf returns the measured channel of a view, or nil if it is not clear.
func measuredOf(o object, markValue any, sc *scope) *measured {
	for name, of := range map[string]string{"x2": "x", "y2": "y", "theta2": "theta", "radius2": "radius"} {
		if from, _ := o[of].(object); o[name] != nil && from["bin"] != "binned" {
			return nil
		}
	}
	mark := vegalite.MarkName(markValue)
	candidates := words("y x")
	switch mark {
	case "arc":
		candidates = words("theta")
	case "rect":
		candidates = words("color fill")
	}
	var found []*measured
	for _, name := range candidates {
		if m := measuring(o, name, sc); m != nil {
			found = append(found, m)
		}
	}
	switch {
	case len(found) == 0:
		return nil
	case len(found) == 2: // as Vega-Lite decides
		style, _ := markValue.(object)
		sideways := style["orient"] == "horizontal" || found[0].op == "" && found[1].op != ""
		if mark != "bar" && mark != "area" && found[0].op == "" && found[1].op == "" {
			return nil // a line of points
		}
		if sideways {
			found[0] = found[1]
		}
	}
	m := found[0]
	for name, c := range o {
		if name != m.name && (slices.Contains(positionChannels, name) || slices.Contains(separatingChannels, name) ||
			slices.Contains(words("detail order size opacity text key"), name)) {
			m.others[name] = c
		}
	}
	return m
}

// measuring returns a channel if it shows numbers, or nil.
func measuring(o object, name string, sc *scope) *measured {
	c, _ := o[name].(object)
	op, _ := c["aggregate"].(string)
	if c["bin"] != nil && c["bin"] != false || c["timeUnit"] != nil || c["aggregate"] != nil && op == "" ||
		c["type"] != string(vegalite.Quantitative) && (c["type"] != nil || op == "") {
		return nil
	}
	m := &measured{name: name, channel: c, op: op, others: object{}, rows: sc}
	if text, isText := c["field"].(string); isText && !slices.Contains(countingOps, op) {
		plain, _ := vegalite.Unescape(text)
		if m.field = sc.fields[plain]; m.field != nil && !isNumber(m.field) {
			return nil
		}
	}
	return m
}

// crowded returns the most rows that one mark shows, and an example of such a mark.
func (m *measured) crowded() (most int, example string) {
	keys, bins, known := m.keys(nil)
	if !known {
		return 0, ""
	}
	count := map[string]int{}
	for row, left := range m.rows.left() {
		drawn := m.field == nil
		if !drawn {
			_, drawn = slices.BinarySearch(m.field.numbers.At, row)
		}
		if !left || !drawn {
			continue
		}
		if count[keys[row]]++; count[keys[row]] > most {
			most, example = count[keys[row]], keys[row]
		}
	}
	if most <= bins {
		return 1, ""
	}
	if example = strings.TrimSuffix(strings.ReplaceAll(example, "\x00", ", "), ", "); example != "" {
		example = " of " + vegalite.Quoted(example)
	}
	return most, example
}

// stackChannels divide the marks of one position.
var stackChannels = words("color fill stroke detail order opacity size text key shape strokeDash")

// keys returns for each row what its mark is identified by, and false if that is not
// known. The channels of skip are left out. A key is that of up to bins marks, because
// the browser chooses their ranges.
func (m *measured) keys(skip []string) (keys []string, bins int, known bool) {
	if m.rows.changed {
		return nil, 0, false
	}
	keys, bins = make([]string, int(m.rows.rows)), 1
	seen := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(m.others)) {
		if slices.Contains(skip, name) {
			continue
		}
		for _, e := range listOf(m.others[name]) {
			c, _ := e.(object)
			if seen[fieldOf(c)] {
				continue
			}
			seen[fieldOf(c)] = true
			n, ok := m.rows.divide(c, keys)
			if !ok {
				return nil, 0, false
			}
			bins *= n
		}
	}
	return keys, bins, true
}

// divide adds what a channel shows of each row to the keys of marks. It returns the number
// of marks that one key stands for, and false if the channel cannot be read.
func (sc *scope) divide(c object, keys []string) (bins int, known bool) {
	if c["aggregate"] != nil || divides(c["condition"]) {
		return 0, false
	}
	text, isText := c["field"].(string)
	if !isText {
		return 1, c["field"] == nil
	}
	plain, _ := vegalite.Unescape(text)
	f := sc.fields[plain]
	if f == nil {
		return 0, false
	}
	if bin := c["bin"]; bin != nil && bin != false {
		shape, isObject := bin.(object)
		most, given := number(shape["maxbins"])
		switch {
		case bin != true && (!isObject || shape["step"] != nil || shape["binned"] != nil || shape["base"] != nil || shape["steps"] != nil):
			return 0, false
		case !given:
			most = 10 // of Vega-Lite
		}
		return int(most) + 1, true
	}
	unit, hasUnit := c["timeUnit"].(string)
	if c["timeUnit"] != nil && (!hasUnit || !f.clocks()) {
		return 0, false
	}
	for row, cell := range f.cells {
		if at, ok := f.timeAt(row); ok && hasUnit {
			if cell, ok = unitOf(at, unit); !ok {
				return 0, false
			}
		}
		keys[row] += fmt.Sprint(cell) + "\x00"
	}
	return 1, true
}

// divides reports whether a condition shows a field.
func divides(condition any) bool {
	return slices.ContainsFunc(listOf(condition), func(e any) bool { c, _ := e.(object); return c["field"] != nil })
}

// fromZero refuses an axis on which the length of a bar is not its number.
func (l *linter) fromZero(m *measured, at string) {
	const why = "the length of a bar is its number, so "
	scale, own := m.channel["scale"].(object)
	if of := m.rows.shared[m.name]; !own {
		scale, at = of.scale, cmp.Or(of.at, at)
	}
	switch {
	case scale["zero"] == false:
		l.fault(ErrMalformed, at+"/scale/zero", why+"bars and areas begin at zero: leave it out, or draw points")
		return
	case scale["type"] == "log":
		l.fault(ErrMalformed, at+"/scale/type", why+"bars and areas begin at zero, which a logarithmic scale does not have: draw points or a line")
		return
	}
	low, high, where := math.Inf(-1), math.Inf(1), "/scale/domain"
	if domain, _ := scale["domain"].([]any); len(domain) > 0 {
		first, ok1 := number(domain[0])
		last, ok2 := number(domain[len(domain)-1])
		if !ok1 || !ok2 {
			return
		}
		low, high = min(first, last), max(first, last)
	}
	for key, bound := range map[string]*float64{"domainMin": &low, "domainMax": &high} {
		if n, ok := number(scale[key]); ok {
			*bound, where = n, "/scale/"+key
		}
	}
	if low > 0 || high < 0 {
		l.fault(ErrMalformed, at+where, why+"the domain of bars and areas has zero in it")
		return
	}
	if least, most, known := m.ends(); known && (least < low || most > high) {
		l.fault(ErrMalformed, at+where, "some of the numbers of %s are not in it, and their bars would leave the chart: "+
			"the bars reach from %.6g to %.6g", vegalite.Quoted(m.field.name), min(0, least), max(0, most))
	}
}

// ends returns the smallest and the largest end of the bars, and false if they are not
// known.
func (m *measured) ends() (low, high float64, known bool) {
	if m.field == nil || m.rows.changed || m.channel["stack"] == "normalize" || m.channel["stack"] == "center" {
		return 0, 0, false
	}
	skip := []string{}
	if m.stacked {
		skip = stackChannels
	}
	keys, bins, known := m.keys(skip)
	if m.op == "" && !m.stacked {
		bins, known = 1, true
	}
	if !known || bins > 1 || m.stacked && m.op != "" && m.op != "sum" {
		return 0, 0, false
	}
	type bar struct{ up, down, rows, most, least float64 }
	bars := map[string]*bar{}
	for i, row := range m.field.numbers.At {
		if !m.rows.has(row) {
			continue
		}
		v, key := m.field.numbers.Numbers[i], fmt.Sprint(row)
		if m.op != "" || m.stacked {
			key = keys[row]
		}
		b := bars[key]
		if b == nil {
			b = &bar{most: v, least: v}
			bars[key] = b
		}
		b.up, b.down, b.rows = b.up+max(0, v), b.down+min(0, v), b.rows+1
		b.most, b.least = max(b.most, v), min(b.least, v)
	}
	for _, b := range bars {
		if m.stacked {
			if b.up != 0 && b.down != 0 && m.op == "sum" {
				return 0, 0, false // parts of either sign, each of them a sum
			}
			low, high = min(low, b.down), max(high, b.up)
			continue
		}
		sum := b.up + b.down
		end, ok := map[string]float64{
			"": sum, "sum": sum, "mean": sum / b.rows, "average": sum / b.rows, "max": b.most, "min": b.least,
		}[m.op]
		if !ok {
			return 0, 0, false
		}
		low, high = min(low, end), max(high, end)
	}
	return low, high, true
}

// addsUp refuses sums and stacks of averages, and of shares that are more than a whole.
func (l *linter) addsUp(m *measured, at string) (refused bool) {
	average, share := vegalite.Rate(m.field.name)
	summed := m.op == "sum" || m.op == "" && m.stacked
	if !average && !share || !summed {
		return false
	}
	if m.op == "sum" && !m.stacked {
		if n, _ := m.crowded(); n == 1 {
			return false // the sum of a row is its number
		}
	}
	if average {
		l.fault(ErrAggregateType, at, "%s is an average or a rate by its name, and these do not add up: draw the mean, "+
			"or parts side by side, or compute it in the query for what a bar shows", vegalite.Quoted(m.field.name))
		return true
	}
	keys, _, known := m.keys(stackChannels)
	if !known || m.channel["stack"] == "normalize" {
		return false
	}
	sum, more := vegalite.MoreThanWhole(func(yield func(string, float64) bool) {
		for i, row := range m.field.numbers.At {
			if m.rows.has(row) && !yield(keys[row], m.field.numbers.Numbers[i]) {
				return
			}
		}
	})
	if more {
		l.fault(ErrAggregateType, at, "the shares of %s that one bar would add up are %.4g together, more than a whole: "+
			"they are shares of different wholes, so draw them side by side", vegalite.Quoted(m.field.name), sum)
	}
	return more
}

// percents refuses formats that show a number as a hundred times as many percent, for
// numbers that are percents already, and for counts. f is nil for a count of rows.
func (l *linter) percents(o object, path string, f *field, op string) {
	what, largest := "", 0.0
	switch {
	case o["stack"] == "normalize" || o["timeUnit"] != nil || o["type"] == string(vegalite.Temporal) || op == "variance" || op == "variancep":
		return
	case slices.Contains(countingOps, op):
		what, largest = "a count", 2
	case f == nil || !isNumber(f) || op == "product":
		return
	default:
		low, high := f.span()
		what, largest = vegalite.Quoted(f.name), max(-low, high)
		if _, share := vegalite.Rate(f.name); largest <= 1.05 || !share && largest <= 10 {
			return
		}
	}
	check := func(v any, at string) {
		if s, _ := v.(string); strings.HasSuffix(s, "%") || strings.HasSuffix(s, "p") && s != "p" {
			l.fault(ErrMalformed, at, "it writes %.4g of %s as %.4g %%: write a format without a percent sign, and the unit in the title",
				largest, what, 100*largest)
		}
	}
	check(o["format"], path+"/format")
	for _, key := range words("axis legend header") {
		if inner, ok := o[key].(object); ok {
			check(inner["format"], pointer(path, key)+"/format")
		}
	}
}

// identified refuses identifiers that a browser would round, where they are drawn as
// numbers.
func (l *linter) identified(f *field, path string) {
	if column.IsIdentifier(f.name) && slices.ContainsFunc(f.cells, rounded) {
		l.fault(ErrFieldType, path, "%s has numbers that a browser would round, so different ones would look the same: "+
			"write the type nominal", vegalite.Quoted(f.name))
	}
}
