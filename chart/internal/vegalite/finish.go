package vegalite

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Row is a row of the data of a spec.
type Row = map[string]any

// pageWidth is the usual width of a text on a page, in pixels.
const pageWidth = 720

// Finish gives a spec what its author left out: the width of a page, which a browser
// replaces by that of the column of text that the chart stands in, labels that are level
// if there is room, bars that are not too wide, the values of a few bars, and numbers and
// months in the language of texts. A spec that is finished already does not change.
func Finish(spec map[string]any, rows []Row, texts *Texts) {
	if texts != English { // which Vega writes without a locale

		config, _ := spec["config"].(map[string]any)
		if config == nil {
			config = map[string]any{}
			spec["config"] = config
		}
		config["locale"] = texts.locale()
	}
	if title, ok := spec["title"].(string); ok {
		spec["title"] = lines(title)
	}
	encoding, _ := spec["encoding"].(map[string]any)
	mark := MarkName(spec["mark"])
	if mark == "" && spec["layer"] == nil || mark == "arc" {
		return
	}
	for _, channel := range []string{"row", "column", "facet"} {
		if encoding[channel] != nil {
			return
		}
	}
	f := &finisher{spec: spec, encoding: encoding, rows: rows}
	f.height()
	if _, byStep := spec["height"].(map[string]any); !byStep { // which Vega-Lite cannot fit into a width
		spec["width"], spec["autosize"] = pageWidth, map[string]any{"type": "fit-x", "contains": "padding"}
	}
	f.level()
	if mark == "bar" {
		f.bars()
	}
}

// MarkName returns the type of a mark.
func MarkName(mark any) string {
	if o, ok := mark.(map[string]any); ok {
		mark = o["type"]
	}
	name, _ := mark.(string)
	return strings.TrimSpace(name)
}

// lines breaks a title that is longer than a column.
func lines(title string) any {
	const most = 85 // characters
	if len([]rune(title)) <= most {
		return title
	}
	all := []any{""}
	for word := range strings.FieldsSeq(title) {
		line := all[len(all)-1].(string)
		if line != "" && len([]rune(line+" "+word)) > most {
			all, line = append(all, ""), ""
		}
		all[len(all)-1] = strings.TrimSpace(line + " " + word)
	}
	return all
}

// Fits reports whether labels next to each other have room in a column without being
// turned.
func Fits(labels []string) bool {
	longest := 0
	for _, label := range labels {
		longest = max(longest, len([]rune(label)))
	}
	return float64(len(labels))*(float64(longest)*6.2+10) <= 0.9*pageWidth
}

type finisher struct {
	spec, encoding map[string]any
	rows           []Row
}

func (f *finisher) channel(name string) map[string]any {
	c, _ := f.encoding[name].(map[string]any)
	return c
}

// values returns the different values of a channel's field, as texts, and false if they
// are not in the rows.
func (f *finisher) values(c map[string]any) (values []string, known bool) {
	name, _ := c["field"].(string)
	field, _ := Unescape(name)
	seen := map[string]bool{}
	for _, row := range f.rows {
		v, ok := row[field]
		if !ok {
			return nil, false
		}
		if text := fmt.Sprint(v); !seen[text] {
			seen[text] = true
			values = append(values, text)
		}
	}
	return values, len(values) > 0
}

// isDiscrete reports whether each value of a channel has a place of its own.
func isDiscrete(c map[string]any) bool {
	return c["field"] != nil && c["aggregate"] == nil && c["bin"] == nil && c["timeUnit"] == nil &&
		(c["type"] == nil || fmt.Sprint(c["type"]) == "nominal" || fmt.Sprint(c["type"]) == "ordinal")
}

// isMeasure reports whether a channel has numbers or an aggregate of them.
func isMeasure(c map[string]any) bool {
	return c != nil && c["bin"] == nil && c["timeUnit"] == nil && (c["aggregate"] != nil || fmt.Sprint(c["type"]) == "quantitative")
}

// height gives each value on y the same height.
func (f *finisher) height() {
	y := f.channel("y")
	step, stepped := f.spec["height"].(map[string]any)
	values, known := f.values(y)
	if !isDiscrete(y) {
		known = false
	}
	switch {
	case known && (stepped || f.spec["height"] == nil):
		each := 26.0
		if parts, ok := f.values(f.channel("yOffset")); ok {
			each = float64(16*len(parts) + 4)
		}
		if n, err := strconv.ParseFloat(fmt.Sprint(step["step"]), 64); err == nil {
			each = n
		}
		f.spec["height"] = max(60, math.Round(each*float64(len(values))))
	case f.spec["height"] == nil:
		f.spec["height"] = 300
	}
}

// level keeps the labels of x level if they fit.
func (f *finisher) level() {
	x := f.channel("x")
	values, known := f.values(x)
	if !isDiscrete(x) || !known || !Fits(values) {
		return
	}
	set(x, "axis", "labelAngle", 0)
}

// set sets a property of a part of a channel unless it has a value, or is null.
func set(c map[string]any, part, key string, value any) {
	if v, ok := c[part]; ok && v == nil {
		return
	}
	o, _ := c[part].(map[string]any)
	if o == nil {
		o = map[string]any{}
		c[part] = o
	}
	if _, ok := o[key]; !ok {
		o[key] = value
	}
}

const (
	widestBar = 64 // pixels
	fewBars   = 12
)

// bars bounds the width of bars, and writes their values if they are few.
func (f *finisher) bars() {
	position, measure := "x", "y"
	if isMeasure(f.channel("x")) {
		position, measure = "y", "x"
	}
	along, of := f.channel(position), f.channel(measure)
	values, known := f.values(along)
	if !isMeasure(of) || isMeasure(along) || !known || f.encoding["x2"] != nil || f.encoding["y2"] != nil ||
		along["bin"] != nil || !isDiscrete(along) && along["timeUnit"] == nil {
		return
	}
	n := len(values)
	offset := f.channel(position + "Offset")
	switch {
	case position == "x" && offset != nil:
		parts, _ := f.values(offset)
		if room := float64(n*len(parts)*widestBar) / pageWidth; room < 0.8 {
			set(along, "scale", "paddingInner", math.Round(100*(1-room))/100)
			set(along, "scale", "paddingOuter", math.Round(50*(1-room))/100)
		}
	case position == "x":
		if room := float64(n*widestBar) / pageWidth; room < 0.8 {
			f.style(map[string]any{"width": map[string]any{"band": math.Round(100*room) / 100}})
		}
	}
	if offset == nil && n <= fewBars && along["timeUnit"] == nil {
		f.write(position, measure, along)
	}
}

// style adds properties to the mark.
func (f *finisher) style(more map[string]any) {
	mark, isObject := f.spec["mark"].(map[string]any)
	if !isObject {
		mark = map[string]any{"type": f.spec["mark"]}
	}
	for key, v := range more {
		if _, ok := mark[key]; !ok {
			mark[key] = v
		}
	}
	f.spec["mark"] = mark
}

// write writes the value of each bar at its end. Bars with parts, and those below zero,
// have no end of their own.
func (f *finisher) write(position, measure string, along map[string]any) {
	for name, c := range f.encoding {
		part, _ := c.(map[string]any)
		if name != position && name != measure && name != "tooltip" && part["field"] != along["field"] {
			return
		}
	}
	of := f.channel(measure)
	op, _ := of["aggregate"].(string)
	if f.spec["params"] != nil || of["stack"] == "normalize" || of["scale"] != nil && of["aggregate"] == nil && fmt.Sprint(of["type"]) != "quantitative" {
		return
	}
	largest := 0.0
	name, _ := of["field"].(string)
	if field, _ := Unescape(name); field != "" && op != "count" {
		if !slices.Contains([]string{"", "sum", "mean", "average", "median", "min", "max"}, op) {
			return
		}
		for _, row := range f.rows {
			v, ok := row[field].(float64)
			if row[field] != nil && !ok || v < 0 {
				return
			}
			largest = max(largest, v)
		}
		if largest == 0 {
			return
		}
	} else if op != "count" {
		return
	}
	text := map[string]any{"type": "quantitative", "format": valueFormat(largest, op)}
	for _, key := range []string{"field", "aggregate"} {
		if of[key] != nil {
			text[key] = of[key]
		}
	}
	if axis, _ := of["axis"].(map[string]any); axis["format"] != nil {
		text["format"] = axis["format"]
	}
	label := map[string]any{"type": "text", "baseline": "bottom", "dy": -3}
	if measure == "x" {
		label = map[string]any{"type": "text", "align": "left", "dx": 4}
		f.spec["padding"] = map[string]any{"left": 5, "top": 5, "bottom": 5, "right": 70} // for the value of the longest bar
	}
	set(of, "axis", "grid", false)
	own := map[string]any{} // of the bars only, such as their colors
	for name, c := range f.encoding {
		if name != position && name != measure {
			own[name] = c
			delete(f.encoding, name)
		}
	}
	bars := map[string]any{"mark": f.spec["mark"]}
	if len(own) > 0 {
		bars["encoding"] = own
	}
	f.spec["layer"] = []any{bars, map[string]any{"mark": label, "encoding": map[string]any{"text": text}}}
	delete(f.spec, "mark")
}

// valueFormat returns how values are written whose largest is given.
func valueFormat(largest float64, op string) string {
	switch {
	case op == "count" || largest >= 1000:
		return ",.0f"
	case largest >= 100:
		return ",.1~f"
	case largest >= 0.1:
		return ",.2~f"
	}
	return ".3~r"
}
