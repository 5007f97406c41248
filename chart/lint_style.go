package chart

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// properties checks an object against a section of the vocabulary. What only styles may
// be an object of the style's own; nothing in it may run.
func (l *linter) properties(path, section string, v any) {
	o, ok := v.(object)
	if !ok {
		if v != nil {
			l.fault(Malformed, path, "it is an object")
		}
		return
	}
	known := vocabulary[section]
	for _, key := range slices.Sorted(maps.Keys(o)) {
		at := pointer(path, key)
		p, exists := known[key]
		switch {
		case l.forbidden(at, key):
		case !exists:
			l.report(Problem{Code: UnknownName, Path: at, Message: "there is no such property there", Candidates: similar(key, slices.Sorted(maps.Keys(known)))})
		case isFormatType(key):
			l.formatType(at, o[key])
		case l.runs(at, o[key]):
		case !p.takes(o[key]):
			l.report(Problem{Code: Malformed, Path: at, Message: "it cannot be that", Candidates: p.words})
		default:
			l.member(at, key, o[key])
		}
	}
}

// forbidden refuses properties that load, link or run, wherever they stand.
func (l *linter) forbidden(path, key string) bool {
	switch key {
	case "href", "url":
		l.fault(External, path, "a chart loads nothing and links to nothing: leave it out")
	case "expr", "signal", "labelExpr", "calculate", "update", "init":
		l.fault(Expression, path, "expressions are not run: leave it out, or have the query compute the value")
	case "usermeta":
		l.fault(External, path, "a page that embeds charts obeys it: leave it out")
	case "customFormatTypes", "signals":
		l.fault(Expression, path, "it calls functions of the page: leave it out")
	case "__proto__", "constructor", "prototype":
		l.fault(Unsupported, path, "every object of a browser has something of that name: leave it out")
	default:
		return false
	}
	return true
}

// runs refuses a value that is an expression.
func (l *linter) runs(path string, v any) bool {
	o, ok := v.(object)
	if !ok {
		return false
	}
	for _, key := range []string{"expr", "signal"} {
		if _, ok := o[key]; ok {
			return l.forbidden(pointer(path, key), key)
		}
	}
	return false
}

// plain checks a value of any shape: nothing in it loads, links or runs, or is endless.
func (l *linter) plain(path string, v any) {
	switch v := v.(type) {
	case string:
		l.text(path, v)
	case json.Number:
		if _, err := v.Float64(); err != nil {
			l.fault(Malformed, path, "the number is too large")
		}
	case []any:
		for i, e := range v {
			l.plain(item(path, i), e)
		}
	case object:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			at := pointer(path, key)
			if l.forbidden(at, key) {
				continue
			}
			switch text, isText := v[key].(string); {
			case key == "test" && isText, key == "filter" && isText:
				l.fault(Expression, at, "expressions are not run: write it as an object, such as {\"field\": ..., \"gt\": ...}")
			case isFormatType(key):
				l.formatType(at, v[key])
			case key == "param":
				l.param(at, v[key])
			case key == "content" && text == "data":
				l.fault(Unsupported, at, "it shows whatever the rows hold: name the fields in the tooltip channel")
			default:
				l.member(at, key, v[key])
			}
		}
	}
}

// member checks what stands under a key that is allowed.
func (l *linter) member(path, key string, v any) {
	l.costs(path, key, v)
	if key == "format" || strings.HasSuffix(key, "Format") {
		l.format(path, v)
	}
	l.plain(path, v)
}

// text checks one text that is shown, or says how something looks.
func (l *linter) text(path, s string) {
	if len(s) > maxSpecText {
		l.fault(TooLarge, path, "the text has more than %d bytes", maxSpecText)
	}
	lower := strings.ToLower(unescapedStyle(s))
	if slices.ContainsFunc(words("url( image-set( javascript:"), func(loads string) bool { return strings.Contains(lower, loads) }) {
		l.fault(External, path, "a chart loads nothing: take a plain text or colour")
	}
}

// unescapedStyle reads a text as a style sheet does, where a letter may be written by its number.
func unescapedStyle(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	return styleEscape.ReplaceAllStringFunc(s, func(escape string) string {
		n, err := strconv.ParseUint(strings.TrimSpace(escape[1:]), 16, 32)
		if err != nil {
			return escape[1:]
		}
		return string(rune(n))
	})
}

var styleEscape = regexp.MustCompile(`\\([0-9A-Fa-f]{1,6}\s?|[^0-9A-Fa-f\n])`)

// isFormatType reports whether a property names a function that formats values.
func isFormatType(key string) bool {
	return key == "formatType" || strings.HasSuffix(key, "FormatType")
}

// format checks how values are written. Vega-Lite puts it between quotes into the expressions
// of texts and tooltips, as it is.
func (l *linter) format(path string, v any) {
	switch v := v.(type) {
	case string:
		if strings.ContainsFunc(v, unsafeInName) {
			l.fault(Expression, path, "it has a quote, a backslash or a control character, and becomes part of an expression: leave it out, or write \u2019")
		}
		if longNumber.MatchString(v) {
			l.fault(TooLarge, path, "it is the width of a page: take a smaller number")
		}
	case []any:
		for i, e := range v {
			l.format(item(path, i), e)
		}
	case object:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			l.format(pointer(path, key), v[key])
		}
	}
}

var longNumber = regexp.MustCompile(`[0-9]{5}`)

// formatType may name functions that a page has registered.
func (l *linter) formatType(path string, v any) {
	if v != "number" && v != "time" && v != nil {
		l.report(Problem{Code: Expression, Path: path, Message: "it calls a function of the page", Candidates: []string{"number", "time"}})
	}
}

// param checks that a parameter exists.
func (l *linter) param(path string, v any) {
	if o, ok := v.(object); ok {
		for _, key := range slices.Sorted(maps.Keys(o)) {
			at := pointer(path, key)
			if !l.word(at, "combination", key, words("and or not")) {
				continue
			}
			list, several := o[key].([]any)
			if !several {
				list = []any{o[key]}
			}
			for _, e := range list {
				l.param(at, e)
			}
		}
		return
	}
	name, ok := v.(string)
	if !ok || !l.params[name] {
		l.report(Problem{Code: UnknownName, Path: path, Message: "there is no such parameter", Candidates: similar(name, slices.Sorted(maps.Keys(l.params)))})
	}
}

// costs refuses numbers that keep a browser busy.
func (l *linter) costs(path, key string, v any) {
	most := map[string]float64{"tickCount": 1000, "maxbins": 1000, "columns": 1000, "labelLimit": 1e6, "count": 1000}[key]
	if n, ok := number(v); ok && most > 0 && n > most {
		l.fault(TooLarge, path, "it is at most %v", most)
	}
	if o, ok := v.(object); ok && key == "tickCount" {
		v = o["interval"]
	}
	if s, ok := v.(string); ok && key == "tickCount" && slices.Contains(words("millisecond second minute hour"), s) {
		l.fault(TooLarge, path, "it could be a tick for each %s of years: write a number, or a longer interval", s)
	}
	if o, ok := v.(object); ok && (key == "tickCount" || key == "nice") {
		if n, ok := number(o["step"]); o["step"] != nil && (!ok || n < 1) {
			l.fault(Malformed, path, "its step is a number from 1")
		}
	}
	if key == "tickMinStep" {
		l.between(path, v, 1e-6, 1e12)
	}
	if key == "keyvals" {
		l.keyvals(path, v)
	}
}

// config checks the looks of all views.
func (l *linter) config(v any) {
	o, ok := v.(object)
	if !ok {
		l.fault(Malformed, "/config", "it is an object")
		return
	}
	for _, key := range slices.Sorted(maps.Keys(o)) {
		at := pointer("/config", key)
		switch {
		case l.forbidden(at, key):
		case key == "params":
			l.fault(Expression, at, "parameters stand in the view that they are for")
		case !l.word(at, "part of a config", key, configParts):
		case key == "selection":
			l.selectionConfig(at, o[key])
		default:
			if key == "view" {
				l.viewConfig(at, o[key])
			}
			l.member(at, key, o[key])
		}
	}
}

// selectionConfig checks how things are selected in all views.
func (l *linter) selectionConfig(path string, v any) {
	o, ok := v.(object)
	if !ok {
		l.fault(Malformed, path, "it is an object")
		return
	}
	for _, key := range slices.Sorted(maps.Keys(o)) {
		if at := pointer(path, key); l.word(at, "selection", key, words("point interval")) {
			l.selection(o[key], at, &scope{})
		}
	}
}

// viewConfig checks how large all views are.
func (l *linter) viewConfig(path string, v any) {
	o, _ := v.(object)
	for _, key := range words("continuousWidth continuousHeight discreteWidth discreteHeight") {
		at := pointer(path, key)
		switch side := o[key].(type) {
		case nil:
		case object:
			l.step(at, side)
		default:
			l.between(at, side, 1, maxSide)
		}
	}
	if o != nil {
		l.step(path, o)
	}
}

// step checks how much room one value has.
func (l *linter) step(path string, o object) {
	if o["step"] != nil {
		l.between(pointer(path, "step"), o["step"], 1, 1000)
	}
}

var configParts = words(`arc area aria autosize axis axisBand axisBottom axisDiscrete axisLeft axisPoint axisQuantitative axisRight axisTemporal axisTop
	axisX axisXBand axisXDiscrete axisXPoint axisXQuantitative axisXTemporal axisY axisYBand axisYDiscrete axisYPoint axisYQuantitative axisYTemporal
	background bar boxplot circle concat countTitle errorband errorbar facet fieldTitle font header headerColumn headerFacet headerRow legend line lineBreak
	locale mark normalizedNumberFormat numberFormat padding point projection range rect rule scale selection square style text tick timeFormat title
	tooltipFormat trail view`)

// mark checks what is drawn.
func (l *linter) mark(v any, path string, sc *scope) {
	name := markName(v)
	switch {
	case name == "":
		l.fault(Malformed, path, "it is the name of a mark, or an object with a type")
		return
	case slices.Contains(otherMarks, name):
		code := Unsupported
		if name == "image" {
			code = External
		}
		l.fault(code, path, "%s loads what is not in the rows: take a point, a text or a bar", name)
		return
	case !l.word(path, "mark", name, simpleMarks):
		return
	}
	if o, ok := v.(object); ok {
		l.markStyle(o, path)
		if _, ok := o["tooltip"].(object); ok && len(sc.fields) > 0 {
			l.plain(path+"/tooltip", o["tooltip"])
		}
	}
}

// markStyle checks a mark's properties, and those of the marks that it is made of.
func (l *linter) markStyle(o object, path string) {
	rest := maps.Clone(o)
	for _, part := range words("point line box median outliers rule ticks band borders") {
		if inner, ok := o[part].(object); ok {
			if !l.runs(pointer(path, part), inner) {
				l.markStyle(inner, pointer(path, part))
			}
			delete(rest, part)
		}
	}
	l.properties(path, "mark", rest)
}
