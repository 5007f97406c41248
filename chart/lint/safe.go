package lint

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed/chart/internal/vegalite"
	"github.com/qedkit/qed/refusal"
)

// safe refuses what loads, links or runs something, what keeps a browser busy, and data of
// a spec's own, at any place of a spec. key is that of v in the object or list around it.
// views is how many views are around v.
func (l *linter) safe(v any, path, key string, views int) {
	switch v := v.(type) {
	case string:
		if slices.Contains(words("test filter and or not"), key) { // a predicate
			l.fault(ErrExpression, path, "expressions are not supported: write an object, such as {\"field\": ..., \"gt\": ...}")
		}
		l.text(path, key, v)
	case json.Number:
		l.checkNumber(path, key, v)
	case []any:
		for i, e := range v {
			l.safe(e, item(path, i), key, views)
		}
	case object:
		if have := slices.DeleteFunc(slices.Clone(makers), func(maker string) bool { return v[maker] == nil }); len(have) > 0 {
			if len(have) > 1 {
				l.fault(ErrMalformed, path, "a view has one of %s: put the others into a view of their own", strings.Join(have, " and "))
			}
			l.views++
			views++
			if l.views > maxViews || views > maxViewDepth {
				if l.views == maxViews+1 || views == maxViewDepth+1 {
					l.fault(ErrTooLarge, path, "it has more than %d views, or more than %d levels of views", maxViews, maxViewDepth)
				}
				return
			}
			l.data(v["data"], path+"/data")
			if path != "" && len(l.problems) == 0 { // the rows of the chart are meant
				delete(v, "data")
			}
		}
		if key == "transform" && l.refusedTransform(v, path) {
			return
		}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if k != "data" || path != "" {
				l.member(v[k], pointer(path, k), k, key, views)
			}
		}
	}
}

const (
	maxViews      = 50
	maxViewDepth  = 9
	maxTransforms = 30
)

// member checks a member of an object that itself is under the key around.
func (l *linter) member(v any, at, key, around string, views int) {
	text, isText := v.(string)
	switch {
	case l.forbidden(at, key):
		return
	case key == "time" && (around == "mark" || around == "encoding"):
		l.fault(ErrUnsupported, at, "animated charts are not supported")
		return
	case key == "selection":
		l.fault(ErrUnsupported, at, "write params, as in Vega-Lite 5 and 6")
		return
	case key == "formatType" || strings.HasSuffix(key, "FormatType"): // a function that a page may have registered
		if v != "number" && v != "time" && v != nil {
			l.report(refusal.Problem{
				Code: ErrExpression, Path: at, Message: "it calls a function of the page", Candidates: []string{"number", "time"},
			})
		}
		return
	case key == "param" && around != "transform" && around != "window": // a number in these
		if name, ok := v.(string); !ok {
			l.fault(ErrMalformed, at,
				"it has to be the name of a parameter: combine parameters as {\"and\": [{\"param\": ...}, ...]}")
		} else if !l.params[name] {
			l.report(vegalite.UnknownWord(at, "parameter", name, slices.Sorted(maps.Keys(l.params))))
		}
	case key == "name" && around == "params" && (!isText || !paramName.MatchString(text)): // it becomes part of expressions
		l.fault(ErrMalformed, at, "it has to be letters, digits and underscores")
	case key == "bind" && text != "scales" && text != "legend":
		l.report(refusal.Problem{
			Code: ErrUnsupported, Path: at, Candidates: words("scales legend"),
			Message: "parameters cannot be bound to elements of the page",
		})
		return
	case around == "select" && slices.Contains(words("on clear toggle translate zoom"), key):
		if _, isBool := v.(bool); !isBool && !slices.Contains(events, text) {
			l.report(refusal.Problem{
				Code: ErrExpression, Path: at, Candidates: words("click pointerover"),
				Message: "it may contain an expression: write the name of an event, or leave it out",
			})
		}
		return
	case key == "content" && text == "data":
		l.fault(ErrUnsupported, at, "it shows all fields of the rows: name the fields in the tooltip channel")
	case key == "mark" && slices.Contains(words("image geoshape"), vegalite.MarkName(v)):
		code := ErrUnsupported
		if vegalite.MarkName(v) == "image" {
			code = ErrExternal
		}
		l.fault(code, at, "%s loads data that are not in the rows: use a point, a text or a bar", vegalite.MarkName(v))
	case key == "format" || strings.HasSuffix(key, "Format"):
		l.format(at, v)
	}
	if around != "value" { // whose keys are fields
		l.costs(at, key, v)
	}
	l.safe(v, at, key, views)
}

var (
	paramName = regexp.MustCompile(`^[A-Za-z_][A-Za-z_0-9]{0,63}$`)

	events = words(`click dblclick mouseover mouseout mousemove mousedown mouseup pointerover pointerout pointermove pointerdown
		pointerup wheel touchstart touchend`)
)

// forbidden refuses properties that load, link or run, at any place.
func (l *linter) forbidden(path, key string) bool {
	switch key {
	case "href", "url":
		l.fault(ErrExternal, path, "charts cannot load or link to anything: leave it out")
	case "expr", "signal", "labelExpr", "calculate", "update", "init", "domainRaw":
		l.fault(ErrExpression, path, "expressions are not supported: leave it out, or compute the value in the query")
	case "impute":
		l.fault(ErrUnsupported, path, inQuery)
	case "repeat":
		l.fault(ErrUnsupported, path, "repeated views are not supported: write a view for each field, in vconcat or hconcat, or fold the fields")
	case "usermeta":
		l.fault(ErrExternal, path, "it changes how a page embeds the chart: leave it out")
	case "datasets":
		l.fault(ErrForeignData, path, "a chart shows the given rows only: leave it out")
	case "signals":
		l.fault(ErrExpression, path, "it calls functions of the page: leave it out")
	case "__proto__", "constructor", "prototype":
		l.fault(ErrUnsupported, path, "every JavaScript object has a property of that name: leave it out")
	default:
		return false
	}
	return true
}

// data refuses data of a view's own. A name and a format are left out, as the rows replace them.
func (l *linter) data(v any, at string) {
	o, ok := v.(object)
	if v != nil && !ok {
		l.fault(ErrForeignData, at, "a chart shows the given rows only: leave data out")
	}
	for _, key := range slices.Sorted(maps.Keys(o)) {
		switch key {
		case "format", "name":
		case "url":
			l.fault(ErrExternal, at+"/url", "charts cannot load anything: leave data out, and the rows are put in")
		default:
			l.fault(ErrForeignData, pointer(at, key), "a chart shows the given rows only: leave data out")
		}
	}
}

// refusedTransform refuses transforms that are not supported.
func (l *linter) refusedTransform(o object, path string) bool {
	if kindOf(o) != "" {
		return false
	}
	for _, name := range slices.Sorted(maps.Keys(refusedTransforms)) {
		if p := refusedTransforms[name]; hasKey(o, name) {
			p.Path = pointer(path, name)
			l.report(p)
			return true
		}
	}
	return false
}

const inQuery = "it is not supported: compute the rows in the query"

var refusedTransforms = map[string]refusal.Problem{
	"calculate": {Code: ErrExpression, Message: "expressions are not supported: compute the value in the query"},
	"lookup":    {Code: ErrForeignData, Message: "a chart shows the given rows only: join them in the query"},
	"extent":    {Code: ErrUnsupported, Message: "its parameter is used in expressions only, which are not supported"},
	"flatten":   {Code: ErrUnsupported, Message: "rows have no lists"},
	"density":   {Code: ErrUnsupported, Message: inQuery},
	"impute":    {Code: ErrUnsupported, Message: inQuery},
	"loess":     {Code: ErrUnsupported, Message: inQuery, Candidates: []string{"regression"}},
	"pivot":     {Code: ErrUnsupported, Message: inQuery, Candidates: []string{"fold"}},
	"quantile":  {Code: ErrUnsupported, Message: inQuery},
	"sample":    {Code: ErrUnsupported, Message: inQuery},
	"stack":     {Code: ErrUnsupported, Message: "stack in the channel of the numbers does the same"},
}

// text checks a text that is shown or that is a style.
func (l *linter) text(path, key, s string) {
	if len(s) > maxSpecText {
		l.fault(ErrTooLarge, path, "the text has more than %d bytes", maxSpecText)
	}
	lower := strings.ToLower(unescapedStyle(s))
	loads := func(prefix string) bool { return strings.Contains(lower, prefix) }
	if !slices.Contains(words("title subtitle text"), key) && slices.ContainsFunc(words("url( image-set( javascript:"), loads) {
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
	case object: // by the unit of a time
		for _, key := range slices.Sorted(maps.Keys(v)) {
			l.format(pointer(path, key), v[key])
		}
	}
}

var longNumber = regexp.MustCompile(`[0-9]{5}`)

// bounds are the smallest and the largest number of properties that keep a browser busy or
// need much memory.
var bounds = map[string][2]float64{
	"tickCount": {0, 1000}, "maxbins": {0, 1000}, "columns": {0, 1000}, "count": {0, 1000},
	"steps": {1, 1000}, "minsteps": {1, 1000}, "maxsteps": {1, 1000},
	"labelLimit": {0, 1e6}, "tickMinStep": {1e-6, 1e12}, "base": {1.1, 1000},
	"width": {0, 10_000}, "height": {0, 10_000}, "padding": {-1000, 1000}, "spacing": {-1000, 1000}, // pixels
	"left": {-1000, 1000}, "right": {-1000, 1000}, "top": {-1000, 1000}, "bottom": {-1000, 1000},
	"fontSize": {0, 1000}, "labelFontSize": {0, 1000}, "titleFontSize": {0, 1000}, "subtitleFontSize": {0, 1000},
}

func (l *linter) checkNumber(path, key string, v json.Number) {
	switch _, err := v.Float64(); {
	case err != nil:
		l.fault(ErrMalformed, path, "the number is too large")
	case rounded(v.String()) && slices.Contains(words("datum sort value"), key):
		l.fault(ErrFieldType, path, "a browser would round the number %s: write it as a text", v)
	}
}

// costs refuses numbers, lists and objects that keep a browser busy.
func (l *linter) costs(path, key string, v any) {
	o, _ := v.(object)
	n, isNumber := number(v)
	if b, bounded := bounds[key]; bounded && isNumber && (n < b[0] || n > b[1]) {
		l.fault(ErrMalformed, path, "it has to be a number from %v to %v", b[0], b[1])
	}
	step, stepped := number(o["step"])
	switch key {
	case "transform":
		if list, _ := v.([]any); len(list) > maxTransforms {
			l.fault(ErrTooLarge, path, "there are more than %d transforms", maxTransforms)
		}
	case "width", "height":
		if stepped && (step < 1 || step > 1000) {
			l.fault(ErrMalformed, path+"/step", "it has to be a number from 1 to 1000")
		}
	case "tickCount", "nice":
		if stepped && step < 1 {
			l.fault(ErrMalformed, path, "its step has to be a number from 1")
		}
		if o != nil {
			v = o["interval"]
		}
		if s, _ := v.(string); key == "tickCount" && slices.Contains(words("millisecond second minute hour"), s) {
			l.fault(ErrTooLarge, path,
				"it could make a tick for each %s of several years: write a number, or a longer interval", s)
		}
	case "bins": // of a scale
		start, ok1 := number(o["start"])
		stop, ok2 := number(o["stop"])
		switch {
		case o == nil:
		case !ok1 || !ok2 || !stepped:
			l.fault(ErrMalformed, path, "it has to be a list of numbers, or a start, a stop and a step")
		case !(step > 0 && stop/step-start/step <= 1000):
			l.fault(ErrTooLarge, path, "it makes more than 1000 bins")
		}
	}
}
