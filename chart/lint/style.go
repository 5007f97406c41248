package lint

import (
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed/chart/internal/vegalite"
	"github.com/qedkit/qed/refusal"
)

// properties checks an object against a definition of the schema. It may have any
// shape that the definition allows, but nothing in it may run.
func (l *linter) properties(path, definition string, v any) {
	o, ok := v.(object)
	if !ok {
		if v != nil {
			l.fault(ErrMalformed, path, "it has to be an object")
		}
		return
	}
	rest := maps.Clone(o)
	for _, key := range slices.Sorted(maps.Keys(o)) {
		at, before := pointer(path, key), len(l.problems)
		switch {
		case l.forbidden(at, key):
		case definition == "Scale" && key == "domainRaw":
			l.fault(ErrExpression, at, "it is for expressions, which are not supported: write domain")
		case definition == "MarkDef" && key == "time":
			l.fault(ErrUnsupported, at, "animated charts are not supported")
		case isFormatType(key):
			l.formatType(at, o[key])
		case !l.runs(at, o[key]):
			l.member(at, key, o[key])
		}
		if len(l.problems) > before {
			delete(rest, key)
		}
	}
	for _, p := range l.schema.check(definition, rest) {
		p.Path = path + p.Path
		l.report(p)
	}
}

// forbidden refuses properties that load, link or run, at any place.
func (l *linter) forbidden(path, key string) bool {
	switch key {
	case "href", "url":
		l.fault(ErrExternal, path, "charts cannot load or link to anything: leave it out")
	case "expr", "signal", "labelExpr", "calculate", "update", "init":
		l.fault(ErrExpression, path, "expressions are not supported: leave it out, or compute the value in the query")
	case "usermeta":
		l.fault(ErrExternal, path, "it changes how a page embeds the chart: leave it out")
	case "signals":
		l.fault(ErrExpression, path, "it calls functions of the page: leave it out")
	case "__proto__", "constructor", "prototype":
		l.fault(ErrUnsupported, path, "every JavaScript object has a property of that name: leave it out")
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

// plain checks a value of any shape: it must not load, link or run, or be endless.
func (l *linter) plain(path string, v any) {
	switch v := v.(type) {
	case string:
		l.text(path, v)
	case json.Number:
		if _, err := v.Float64(); err != nil {
			l.fault(ErrMalformed, path, "the number is too large")
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
				l.fault(ErrExpression, at, "expressions are not supported: write an object, such as {\"field\": ..., \"gt\": ...}")
			case isFormatType(key):
				l.formatType(at, v[key])
			case key == "param":
				l.param(at, v[key])
			case key == "content" && text == "data":
				l.fault(ErrUnsupported, at, "it shows all fields of the rows: name the fields in the tooltip channel")
			default:
				l.member(at, key, v[key])
			}
		}
	}
}

// member checks the value of an allowed key.
func (l *linter) member(path, key string, v any) {
	l.costs(path, key, v)
	if key == "format" || strings.HasSuffix(key, "Format") {
		l.format(path, v)
	}
	l.plain(path, v)
}

// text checks a text that is shown or that is a style.
func (l *linter) text(path, s string) {
	if len(s) > maxSpecText {
		l.fault(ErrTooLarge, path, "the text has more than %d bytes", maxSpecText)
	}
	lower := strings.ToLower(unescapedStyle(s))
	loads := func(prefix string) bool { return strings.Contains(lower, prefix) }
	if slices.ContainsFunc(words("url( image-set( javascript:"), loads) {
		l.fault(ErrExternal, path, "charts cannot load anything: use a plain text or color")
	}
}

// unescapedStyle decodes the escapes of CSS, which can hide a url.
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

// format checks a number or date format. Vega-Lite writes it unescaped between
// quotes into expressions.
func (l *linter) format(path string, v any) {
	switch v := v.(type) {
	case string:
		if strings.ContainsFunc(v, vegalite.IsUnsafe) {
			l.fault(ErrExpression, path,
				"it becomes part of an expression, and has a quote, a backslash or a control character: remove it, or write \u2019")
		}
		if longNumber.MatchString(v) {
			l.fault(ErrTooLarge, path, "the number is too large for a width: use a smaller one")
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

// formatType refuses the names of functions that a page may have registered.
func (l *linter) formatType(path string, v any) {
	if v != "number" && v != "time" && v != nil {
		l.report(refusal.Problem{
			Code: ErrExpression, Path: path, Message: "it calls a function of the page", Candidates: []string{"number", "time"},
		})
	}
}

// param checks that a parameter exists.
func (l *linter) param(path string, v any) {
	if _, ok := v.(object); ok {
		l.fault(ErrMalformed, path,
			"it has to be the name of a parameter: combine parameters as {\"and\": [{\"param\": ...}, ...]}")
		return
	}
	name, ok := v.(string)
	if !ok || !l.params[name] {
		l.report(vegalite.UnknownWord(path, "parameter", name, slices.Sorted(maps.Keys(l.params))))
	}
}

// costs refuses numbers that keep a browser busy.
func (l *linter) costs(path, key string, v any) {
	most := map[string]float64{"tickCount": 1000, "maxbins": 1000, "columns": 1000, "labelLimit": 1e6, "count": 1000}[key]
	if n, ok := number(v); ok && most > 0 && n > most {
		l.fault(ErrTooLarge, path, "it has to be at most %v", most)
	}
	if o, ok := v.(object); ok && key == "tickCount" {
		v = o["interval"]
	}
	if s, ok := v.(string); ok && key == "tickCount" && slices.Contains(words("millisecond second minute hour"), s) {
		l.fault(ErrTooLarge, path,
			"it could make a tick for each %s of several years: write a number, or a longer interval", s)
	}
	if o, ok := v.(object); ok && (key == "tickCount" || key == "nice") {
		if n, ok := number(o["step"]); o["step"] != nil && (!ok || n < 1) {
			l.fault(ErrMalformed, path, "its step has to be a number from 1")
		}
	}
	if key == "tickMinStep" {
		l.between(path, v, 1e-6, 1e12)
	}
	if key == "keyvals" {
		l.keyvals(path, v)
	}
}

// mark checks a mark.
func (l *linter) mark(v any, path string, sc *scope) {
	name := vegalite.MarkName(v)
	switch {
	case name == "":
		l.fault(ErrMalformed, path, "it has to be the name of a mark, or an object with a type")
		return
	case slices.Contains(otherMarks, name):
		code := ErrUnsupported
		if name == "image" {
			code = ErrExternal
		}
		l.fault(code, path, "%s loads data that are not in the rows: use a point, a text or a bar", name)
		return
	case !l.word(path, "mark", name, simpleMarks):
		return
	}
	if o, ok := v.(object); ok {
		definition := map[string]string{"boxplot": "BoxPlotDef", "errorbar": "ErrorBarDef", "errorband": "ErrorBandDef"}[name]
		l.properties(path, cmp.Or(definition, "MarkDef"), o)
	}
}
