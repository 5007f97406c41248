package secureview

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/refusal"
)

// unknownFunctions returns an error for each function that neither the dialect nor the
// policy allows.
func (g *Guard) unknownFunctions(calls []*sqlast.Call) (unknown sqlast.Errors) {
	for _, c := range calls {
		again := func(e *sqlast.Error) bool { return ascii.EqualFold(e.Name, c.Name) }
		if g.safe(c.Name) && c.Unsafe == "" || g.catalog.functions[c.Name] || len(unknown) == maxUnknown || slices.ContainsFunc(unknown, again) {
			continue
		}
		e := &sqlast.Error{Code: sqlast.Function, Name: c.Name, Pos: c.Pos}
		if unknown = append(unknown, e); g.safe(c.Name) {
			e.Message = c.Unsafe
			continue
		}
		e.Message = fmt.Sprintf("function %s() is not one of those that may be called", c.Name)
		if g.dialect.Safe(c.Name) {
			e.Message = fmt.Sprintf("the database has no function %s()", c.Name)
		}
		e.Candidates = g.functionsLike(c.Name)
		if len(e.Candidates) > 0 {
			e.Message += "; did you mean: " + strings.Join(e.Candidates, ", ")
		}
	}
	return unknown
}

// maxUnknown is how many functions are reported.
const maxUnknown = 10

func (g *Guard) safe(name string) bool {
	return g.dialect.Safe(name) && (g.has == nil || g.has[name]) || g.catalog.functions[ascii.Lower(name)]
}

// missingOperators returns an error for the first operator of a statement that the database
// does not have: REGEXP of a SQLite without the function behind it, MEMBER OF of MariaDB.
func (g *Guard) missingOperators(q *sqlast.Query) (missing sqlast.Errors) {
	if g.has == nil {
		return nil
	}
	sqlast.Walk(q, func(n sqlast.Node) bool {
		like, ok := n.(*sqlast.Like)
		if !ok || missing != nil {
			return missing == nil
		}
		name, message := "REGEXP", "this SQLite has no REGEXP: write LIKE or GLOB"
		switch {
		case like.Op == sqlast.OpMember:
			name, message = "MEMBER OF", "the database has no MEMBER OF: write JSON_CONTAINS(array, '17'), or JSON_CONTAINS(array, JSON_QUOTE(text))"
		case like.Op != sqlast.OpRegexp || g.dialect.Name() != "sqlite":
			return true
		}
		if !g.has[ascii.Lower(name)] {
			missing = append(missing, &sqlast.Error{Code: sqlast.Function, Name: name, Pos: like.Pos, Message: message})
		}
		return missing == nil
	})
	return missing
}

// functionsLike returns allowed functions that may have been meant: those that do
// the same in this dialect, then similar names.
func (g *Guard) functionsLike(name string) []string {
	var found []string
	add := func(candidate string) {
		if len(found) < maxCandidates && g.safe(candidate) && !slices.Contains(found, candidate) {
			found = append(found, candidate)
		}
	}
	name = ascii.Lower(name)
	for _, candidate := range equivalents[name] {
		add(candidate)
	}
	known := slices.AppendSeq(slices.Collect(maps.Keys(g.dialect.Bounds().Functions)), maps.Keys(g.catalog.functions))
	for _, function := range refusal.Nearest(name, slices.DeleteFunc(known, func(f string) bool { return !g.safe(f) }), maxCandidates) {
		add(function)
	}
	return found
}

// equivalents maps functions of all dialects, and common words for them, to the
// functions that do the same in another dialect.
var equivalents = map[string][]string{
	"adddate":         {"make_interval"},
	"any_value":       {"max"},
	"array_agg":       {"json_group_array", "json_arrayagg", "group_concat"},
	"char_length":     {"length"},
	"charindex":       {"instr", "locate"},
	"curdate":         {"date", "now"},
	"date_add":        {"date", "datetime", "make_interval"},
	"date_diff":       {"timestampdiff", "datediff", "julianday", "age"},
	"date_format":     {"strftime", "to_char"},
	"date_part":       {"extract", "strftime"},
	"date_sub":        {"date", "datetime", "make_interval"},
	"date_trunc":      {"date_format", "strftime"},
	"datediff":        {"julianday", "age"},
	"datetime":        {"now", "to_timestamp"},
	"day":             {"strftime", "extract"},
	"dayofweek":       {"strftime", "extract"},
	"extract":         {"strftime"},
	"from_unixtime":   {"datetime", "to_timestamp"},
	"getdate":         {"datetime", "now"},
	"group_concat":    {"string_agg"},
	"hour":            {"strftime", "extract"},
	"ifnull":          {"coalesce"},
	"iif":             {"if"},
	"instr":           {"strpos", "position"},
	"isnull":          {"ifnull", "coalesce"},
	"json_arrayagg":   {"json_agg"},
	"json_extract":    {"json_extract_path", "jsonb_extract_path", "jsonb_path_query"},
	"julianday":       {"to_days", "datediff", "extract", "age"},
	"last_day":        {"date_trunc"},
	"lcase":           {"lower"},
	"left":            {"substr"},
	"len":             {"length", "char_length"},
	"listagg":         {"string_agg", "group_concat"},
	"locate":          {"instr", "strpos", "position"},
	"median":          {"percentile_cont", "quantile_cont", "avg"},
	"mid":             {"substr"},
	"minute":          {"strftime", "extract"},
	"month":           {"strftime", "extract"},
	"now":             {"datetime"},
	"nvl":             {"coalesce", "ifnull"},
	"percentile":      {"percentile_cont", "quantile_cont", "avg"},
	"percentile_cont": {"quantile_cont", "median", "avg"},
	"position":        {"instr"},
	"rand":            {"random"},
	"random":          {"rand"},
	"regexp_like":     {"instr"},
	"right":           {"substr"},
	"str_to_date":     {"date", "datetime", "to_date", "to_timestamp"},
	"strftime":        {"date_format", "to_char", "extract"},
	"string_agg":      {"group_concat"},
	"strpos":          {"instr"},
	"substring_index": {"split_part"},
	"timestampdiff":   {"julianday", "unixepoch", "age", "extract"},
	"to_char":         {"date_format", "strftime", "printf"},
	"to_date":         {"str_to_date", "date"},
	"total":           {"sum"},
	"truncate":        {"trunc"},
	"ucase":           {"upper"},
	"unix_timestamp":  {"unixepoch", "strftime", "extract"},
	"unixepoch":       {"unix_timestamp", "extract"},
	"week":            {"strftime", "extract"},
	"weekday":         {"strftime", "extract"},
	"year":            {"strftime", "extract"},
}
