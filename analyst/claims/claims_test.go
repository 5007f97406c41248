package claims_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/analyst/claims"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/refusal"
)

// The decisions of reports: the verdict, or why there is none.
const (
	proved       = string(dates.Proved)
	contradicted = string(dates.Contradicted)
	doubt        = string(claims.Doubt)
	chance       = string(claims.Chance)
	undecided    = string(claims.Undecided)
)

func decision(r *claims.Report) string {
	if r.Verdict == dates.NotChecked {
		return string(r.Reason)
	}
	return string(r.Verdict)
}

func table(t testing.TB, columns string, rows ...[]any) *qed.Table {
	t.Helper()
	out := &qed.Table{}
	for name := range strings.FieldsSeq(columns) {
		out.Columns = append(out.Columns, qed.Column{Name: name})
	}
	for _, row := range rows {
		if err := out.Append(row...); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// berkeley has a row for each applicant of six departments: Bickel, Hammel and
// O'Connell, Science 187 (1975).
func berkeley(t testing.TB) *qed.Table {
	var rows [][]any
	for i, d := range [][4]int{{512, 313, 89, 19}, {353, 207, 17, 8}, {120, 205, 202, 391}, {138, 279, 131, 244}, {53, 138, 94, 299}, {22, 351, 24, 317}} {
		for j, n := range d {
			for range n {
				rows = append(rows, []any{[]string{"men", "men", "women", "women"}[j], string(rune('A' + i)), j%2 == 0})
			}
		}
	}
	return table(t, "gender department admitted", rows...)
}

func check(t testing.TB, f claims.Finding) *claims.Report {
	t.Helper()
	r, err := claims.Check(context.Background(), f)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// results returns the outcomes by check; the worst if there are several.
func results(r *claims.Report) map[string]claims.Outcome {
	all := map[string]claims.Outcome{}
	order := []claims.Outcome{"", claims.Pass, claims.Warn, claims.Fail}
	for _, c := range r.Checks {
		if slices.Index(order, c.Outcome) > slices.Index(order, all[c.Name]) {
			all[c.Name] = c.Outcome
		}
	}
	return all
}

func find(t *testing.T, r *claims.Report, name string) claims.CheckResult {
	t.Helper()
	for _, c := range r.Checks {
		if c.Name == name && c.Outcome == results(r)[name] {
			return c
		}
	}
	t.Fatalf("the report has no check %s: %+v", name, r)
	return claims.CheckResult{}
}

func TestBerkeley(t *testing.T) {
	r := check(t, claims.Finding{
		Text: "Men are admitted more often than women.", Rows: berkeley(t),
		Claim: &claims.Claim{Kind: claims.Shares, Metric: "admitted", By: "gender", Groups: []string{"men", "women"}, Comparison: claims.More},
	})
	if decision(r) != contradicted || r.Claim.Outcome != "true" {
		t.Errorf("verdict %s, claim %+v", decision(r), r.Claim)
	}
	simpson, difference := find(t, r, claims.CheckSimpson), find(t, r, claims.CheckDifference)
	for _, figure := range []struct {
		name      string
		got, want float64
		digits    float64
	}{
		{"difference before", simpson.Figures["before"], 0.1416, 1e-4},
		{"difference after", simpson.Figures["after"], -0.0184, 1e-4},
		{"chi-square", difference.Figures["chi_square"], 92.205, 1e-3},
		{"odds ratio", difference.Figures["odds_ratio"], 1.841, 1e-3},
	} {
		if math.Abs(figure.got-figure.want) > figure.digits/2+1e-9 {
			t.Errorf("%s is %v, want %v", figure.name, figure.got, figure.want)
		}
	}
	if !strings.Contains(r.Text, "Simpson's paradox") || !strings.Contains(r.Text, `"department"`) {
		t.Errorf("text %q does not name the paradox", r.Text)
	}
}

// sales returns rows of two shops, each value made from the row's number, the shop
// and normal noise.
func sales(t testing.TB, n int, value func(i int, shop string, noise float64) []any) *qed.Table {
	r := rand.New(rand.NewPCG(7, 7))
	var rows [][]any
	for i := range n {
		shop := []string{"north", "south"}[i%2]
		rows = append(rows, append([]any{shop}, value(i, shop, r.NormFloat64())...))
	}
	return table(t, "shop amount kind", rows...)
}

func shift(shop string, by float64) float64 {
	if shop == "north" {
		return by
	}
	return 0
}

func northMore() *claims.Claim {
	return &claims.Claim{Kind: claims.Means, Metric: "amount", By: "shop", Groups: []string{"north", "south"}, Comparison: claims.More}
}

func kindOf(i int) string { return []string{"book", "game", "food"}[i/2%3] }

// Each rule both ways, in one table: what a plain difference passes, and what the
// planted defect is called.
func TestMeans(t *testing.T) {
	type want struct {
		verdict string
		check   string
		outcome claims.Outcome
	}
	for _, test := range []struct {
		name  string
		rows  *qed.Table
		claim *claims.Claim
		want
	}{
		{"an honest difference", sales(t, 400, func(i int, shop string, noise float64) []any {
			return []any{100 + shift(shop, 10) + 10*noise, kindOf(i)}
		}), northMore(), want{proved, claims.CheckDifference, claims.Pass}},
		{"the other way round", sales(t, 400, func(i int, shop string, noise float64) []any {
			return []any{100 - shift(shop, 10) + 10*noise, kindOf(i)}
		}), northMore(), want{contradicted, claims.CheckDifference, claims.Fail}},
		{"no difference", sales(t, 400, func(i int, shop string, noise float64) []any {
			return []any{100 + 10*noise, kindOf(i)}
		}), northMore(), want{chance, claims.CheckDifference, claims.Pass}},
		{"a negligible difference", sales(t, 60000, func(i int, shop string, noise float64) []any {
			return []any{100 + shift(shop, 0.3) + 10*noise, kindOf(i)}
		}), northMore(), want{doubt, claims.CheckDifference, claims.Warn}},
		{"few rows", sales(t, 12, func(i int, shop string, noise float64) []any {
			return []any{100 + shift(shop, 100) + noise, kindOf(i)}
		}), northMore(), want{doubt, claims.CheckSize, claims.Warn}},
		{"one outlier", sales(t, 200, func(i int, shop string, noise float64) []any {
			if i%2 == 0 && i < 12 {
				return []any{3000 + 10*noise, kindOf(i)}
			}
			return []any{100 + 0.1*noise, kindOf(i)}
		}), northMore(), want{doubt, claims.CheckOutliers, claims.Warn}},
		{"outliers that turn the result", sales(t, 400, func(i int, shop string, noise float64) []any {
			if i%2 == 0 && i < 20 {
				return []any{3000 + 10*noise, kindOf(i)}
			}
			return []any{100 - shift(shop, 5) + noise, kindOf(i)}
		}), northMore(), want{contradicted, claims.CheckOutliers, claims.Fail}},
		{"outliers that do not matter", sales(t, 400, func(i int, shop string, noise float64) []any {
			if i < 4 {
				return []any{200 + noise, kindOf(i)}
			}
			return []any{100 + shift(shop, 10) + 5*noise, kindOf(i)}
		}), northMore(), want{proved, claims.CheckOutliers, claims.Pass}},
		{"missing in one shop", sales(t, 400, func(i int, shop string, noise float64) []any {
			if shop == "north" && i%3 == 0 {
				return []any{nil, kindOf(i)}
			}
			return []any{100 + shift(shop, 10) + 10*noise, kindOf(i)}
		}), northMore(), want{doubt, claims.CheckMissing, claims.Warn}},
		{"missing in both shops", sales(t, 400, func(i int, shop string, noise float64) []any {
			if i/2%10 == 0 {
				return []any{"NaN", kindOf(i)}
			}
			return []any{100 + shift(shop, 10) + 10*noise, kindOf(i)}
		}), northMore(), want{proved, claims.CheckMissing, claims.Pass}},
		{"a paradox of means", sales(t, 800, func(i int, shop string, noise float64) []any {
			kind, base := "cheap", 20.0
			if (shop == "north") == (i/2%5 != 0) {
				kind, base = "dear", 100
			}
			return []any{base - shift(shop, 5) + 4*noise, kind}
		}), northMore(), want{contradicted, claims.CheckSimpson, claims.Fail}},
		{"a difference that another column explains", sales(t, 800, func(i int, shop string, noise float64) []any {
			kind, base := "cheap", 20.0
			if (shop == "north") == (i/2%5 != 0) {
				kind, base = "dear", 100
			}
			return []any{base + 4*noise, kind}
		}), northMore(), want{doubt, claims.CheckSimpson, claims.Warn}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := check(t, claims.Finding{Rows: test.rows, Claim: test.claim, Language: "en"})
			if got := (want{decision(r), test.check, results(r)[test.check]}); got != test.want {
				t.Errorf("got %+v, want %+v\n%s\n%+v", got, test.want, r.Text, r.Checks)
			}
		})
	}
}

// Small samples with a long tail are tested by ranks.
func TestSkewed(t *testing.T) {
	tail := sales(t, 24, func(i int, shop string, noise float64) []any {
		return []any{math.Exp(shift(shop, 2.5) + 1.2*noise), kindOf(i)}
	})
	r := check(t, claims.Finding{Rows: tail, Claim: northMore(), Language: "en"})
	f := find(t, r, claims.CheckDifference).Figures
	if *r.P != f["mann_whitney_p"] || f["mann_whitney_p"] == f["welch_p"] {
		t.Errorf("p = %v of %v, want that of Mann and Whitney", *r.P, f)
	}
	even := sales(t, 24, func(i int, shop string, noise float64) []any {
		return []any{float64(i%12) + shift(shop, 2), kindOf(i)}
	})
	r = check(t, claims.Finding{Rows: even, Claim: northMore(), Language: "en"})
	if f := find(t, r, claims.CheckDifference).Figures; *r.P != f["welch_p"] {
		t.Errorf("p = %v of %v, want that of Welch", *r.P, f)
	}
}

func TestSeveralGroups(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	rows := func(means map[string]float64) *qed.Table {
		var all [][]any
		for _, name := range []string{"a", "b", "c", "d"} {
			for range 80 {
				all = append(all, []any{name, means[name] + r.NormFloat64()})
			}
		}
		return table(t, "g v", all...)
	}
	more := func(first string) *claims.Claim {
		return &claims.Claim{Kind: claims.Means, Metric: "v", By: "g", Groups: []string{first}, Comparison: claims.More}
	}
	apart := map[string]float64{"a": 3, "b": 1, "c": 0, "d": 0}
	for _, test := range []struct {
		name    string
		rows    *qed.Table
		claim   *claims.Claim
		verdict string
		groups  claims.Outcome
	}{
		{"the largest of four", rows(apart), more("a"), proved, claims.Pass},
		{"not the largest", rows(apart), more("b"), contradicted, claims.Fail},
		{"one of two largest", rows(map[string]float64{"a": 3, "b": 3}), more("a"), doubt, claims.Warn},
		{"any difference", rows(apart), &claims.Claim{Kind: claims.Means, Metric: "v", By: "g"}, proved, claims.Pass},
		{"no difference", rows(nil), &claims.Claim{Kind: claims.Means, Metric: "v", By: "g"}, chance, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := check(t, claims.Finding{Rows: test.rows, Claim: test.claim, Language: "en"})
			if got := results(r)[claims.CheckGroups]; decision(r) != test.verdict || got != test.groups {
				t.Errorf("verdict %s, groups %q; want %s, %q\n%s", decision(r), got, test.verdict, test.groups, r.Text)
			}
		})
	}
}

func counted(t testing.TB, columns string, counts map[[2]string]int) *qed.Table {
	var keys [][2]string
	for k := range counts {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b [2]string) int { return strings.Compare(a[0]+a[1], b[0]+b[1]) })
	var rows [][]any
	for _, k := range keys {
		for range counts[k] {
			rows = append(rows, []any{k[0], k[1]})
		}
	}
	return table(t, columns, rows...)
}

func TestShares(t *testing.T) {
	plans := counted(t, "plan left", map[[2]string]int{
		{"free", "yes"}: 60, {"free", "no"}: 140, {"paid", "yes"}: 20, {"paid", "no"}: 180})
	rare := counted(t, "plan left", map[[2]string]int{
		{"free", "yes"}: 3, {"free", "no"}: 1, {"paid", "yes"}: 1, {"paid", "no"}: 3})
	once := counted(t, "plan left", map[[2]string]int{{"free", "yes"}: 1, {"free", "no"}: 199})
	colours := counted(t, "plan colour", map[[2]string]int{
		{"free", "red"}: 60, {"free", "blue"}: 20, {"free", "green"}: 20, {"paid", "red"}: 20, {"paid", "blue"}: 60, {"paid", "green"}: 20})
	for _, test := range []struct {
		name    string
		rows    *qed.Table
		claim   *claims.Claim
		verdict string
		figure  string
	}{
		{"a share differs", plans, &claims.Claim{Kind: claims.Shares, Metric: "left", Outcome: "yes", By: "plan", Groups: []string{"free"}, Comparison: claims.More}, proved, "chi_square"},
		{"a share is smaller", plans, &claims.Claim{Kind: claims.Shares, Metric: "left", Outcome: "yes", By: "plan", Groups: []string{"free"}, Comparison: claims.Less}, contradicted, "chi_square"},
		{"too rare for chi-square", rare, &claims.Claim{Kind: claims.Shares, Metric: "left", By: "plan"}, chance, "fisher_p"},
		{"all values", colours, &claims.Claim{Kind: claims.Shares, Metric: "colour", By: "plan"}, proved, "cramers_v"},
		{"the claimed share", plans, &claims.Claim{Kind: claims.Share, Metric: "left", Outcome: "yes", Value: new(0.2)}, proved, ""},
		{"another share", plans, &claims.Claim{Kind: claims.Share, Metric: "left", Outcome: "yes", Value: new(0.4)}, contradicted, ""},
		{"the claimed count", plans, &claims.Claim{Kind: claims.Share, Metric: "left", Outcome: "yes", Count: new(80)}, proved, ""},
		{"another count", plans, &claims.Claim{Kind: claims.Share, Metric: "left", Outcome: "yes", Count: new(81)}, contradicted, ""},
		{"one row", once, &claims.Claim{Kind: claims.Share, Metric: "left", Outcome: "yes", Count: new(1)}, proved, ""},
		{"all rows", once, &claims.Claim{Kind: claims.Share, Metric: "left", Outcome: "yes", Value: new(1.0)}, contradicted, ""},
		{"a share of few rows", rare, &claims.Claim{Kind: claims.Share, Metric: "left", Outcome: "yes"}, doubt, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := check(t, claims.Finding{Rows: test.rows, Claim: test.claim, Language: "en"})
			if decision(r) != test.verdict {
				t.Errorf("verdict %s, want %s\n%s", decision(r), test.verdict, r.Text)
			}
			if test.figure == "" {
				return
			}
			if _, ok := find(t, r, claims.CheckDifference).Figures[test.figure]; !ok {
				t.Errorf("no figure %s", test.figure)
			}
		})
	}
}

func TestCorrelation(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	rows := func(n int, pair func(i int) (x, y float64, kind string)) *qed.Table {
		var all [][]any
		for i := range n {
			x, y, kind := pair(i)
			all = append(all, []any{x, y, kind})
		}
		return table(t, "x y kind", all...)
	}
	rising := func(comparison claims.Comparison) *claims.Claim {
		return &claims.Claim{Kind: claims.Correlation, Metric: "x", With: "y", Comparison: comparison}
	}
	line := rows(200, func(i int) (float64, float64, string) {
		x := r.NormFloat64()
		return x, x + r.NormFloat64(), kindOf(i)
	})
	for _, test := range []struct {
		name    string
		rows    *qed.Table
		claim   *claims.Claim
		verdict string
		check   string
		outcome claims.Outcome
	}{
		{"a line", line, rising(claims.More), proved, claims.CheckCorrelation, claims.Pass},
		{"the other sign", line, rising(claims.Less), contradicted, claims.CheckCorrelation, claims.Fail},
		{"noise", rows(200, func(i int) (float64, float64, string) {
			return r.NormFloat64(), r.NormFloat64(), kindOf(i)
		}), rising(claims.More), chance, claims.CheckCorrelation, claims.Pass},
		{"one extreme row", rows(60, func(i int) (float64, float64, string) {
			if i == 0 {
				return 1000, 1000, "a"
			}
			return math.Sin(float64(i) * 3), math.Cos(float64(i*i) * 7), kindOf(i)
		}), rising(claims.More), chance, claims.CheckCorrelation, claims.Warn},
		{"reversed in each kind", rows(300, func(i int) (float64, float64, string) {
			base := float64(i % 3 * 20)
			x := 3 * r.NormFloat64()
			return base + x, base - x + r.NormFloat64(), kindOf(i % 3 * 2)
		}), rising(claims.More), contradicted, claims.CheckSimpson, claims.Fail},
		{"nine rows", rows(9, func(i int) (float64, float64, string) {
			return float64(i), float64(i), "a"
		}), rising(claims.More), undecided, claims.CheckCorrelation, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := check(t, claims.Finding{Rows: test.rows, Claim: test.claim, Language: "en"})
			if got := results(r)[test.check]; decision(r) != test.verdict || got != test.outcome {
				t.Errorf("verdict %s, %s %q; want %s, %q\n%s", decision(r), test.check, got, test.verdict, test.outcome, r.Text)
			}
		})
	}
}

func TestCausalWording(t *testing.T) {
	rows := sales(t, 400, func(i int, shop string, noise float64) []any {
		return []any{100 + shift(shop, 10) + 10*noise, kindOf(i)}
	})
	for _, test := range []struct {
		text       string
		typed      bool
		experiment string
		want       claims.Outcome
	}{
		{"Shop north has higher amounts.", false, "", ""},
		{"Amounts are higher because of the new shelves.", false, "", claims.Warn},
		{"The new shelves led to higher amounts.", false, "", claims.Warn},
		{"The new shelves led to higher amounts.", false, "shop", claims.Pass},
		{"The new shelves led to higher amounts.", false, "kind", claims.Warn},
		{"The new shelves make a difference.", true, "", claims.Warn},
		{"The new shelves make a difference.", true, "shop", claims.Pass},
		{"The new shop increases the amount.", false, "", claims.Warn},
		{"The amount increases in the north.", false, "", ""},
		{"Amounts are higher, but not because of the shelves.", false, "", ""},
		{"Der Umsatz ist im Norden höher.", false, "", ""},
		{"Der Umsatz ist wegen der neuen Regale höher.", false, "", claims.Warn},
		{"Die neuen Regale führten zu mehr Umsatz.", false, "", claims.Warn},
		{"Das neue Regal sorgt für mehr Umsatz.", false, "", claims.Warn},
		{"Die Regale sind nicht die Ursache.", false, "", ""},
	} {
		claim := northMore()
		claim.Causal = test.typed
		r := check(t, claims.Finding{Text: test.text, Rows: rows, Claim: claim, Experiment: test.experiment})
		if got := results(r)[claims.CheckCausal]; got != test.want {
			t.Errorf("%q, typed %v, experiment %q: %s, want %s", test.text, test.typed, test.experiment, got, test.want)
		}
		if want := test.want != claims.Warn; want != (decision(r) == proved) {
			t.Errorf("%q: %s", test.text, decision(r))
		}
	}
}

func TestRows(t *testing.T) {
	rows := sales(t, 400, func(i int, shop string, noise float64) []any {
		return []any{100 + shift(shop, 10) + 10*noise, kindOf(i)}
	})
	cut := rows.Clone()
	cut.Truncated = true
	for _, test := range []struct {
		name string
		f    claims.Finding
		want claims.Outcome
	}{
		{"all", claims.Finding{Rows: rows}, claims.Pass},
		{"a sample", claims.Finding{Rows: rows, Total: 9000, Sampled: true}, claims.Pass},
		{"the first ones", claims.Finding{Rows: rows, Total: 9000}, claims.Warn},
		{"truncated", claims.Finding{Rows: &cut}, claims.Warn},
	} {
		test.f.Claim, test.f.Language = northMore(), "en"
		r := check(t, test.f)
		if got := results(r)[claims.CheckRows]; got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

func TestRefused(t *testing.T) {
	rows := berkeley(t)
	nan := math.NaN()
	many := &qed.Table{Columns: []qed.Column{{Name: "id"}, {Name: "v"}}}
	for i := range 500 {
		many.Append(fmt.Sprintf("g%d", i%200), i)
	}
	for _, test := range []struct {
		name      string
		rows      *qed.Table
		claim     claims.Claim
		code      refusal.Code
		candidate string
	}{
		{"no column", rows, claims.Claim{Kind: claims.Shares, By: "gender"}, claims.ErrMissingColumn, "admitted"},
		{"no group column", rows, claims.Claim{Kind: claims.Shares, Metric: "admitted"}, claims.ErrMissingColumn, "gender"},
		{"an unknown column", rows, claims.Claim{Kind: claims.Shares, Metric: "admited", By: "gender"}, claims.ErrUnknownField, "admitted"},
		{"an unknown stratifier", rows, claims.Claim{Kind: claims.Shares, Metric: "admitted", By: "gender", Stratifiers: []string{"dept"}}, claims.ErrUnknownField, "department"},
		{"a column twice", rows, claims.Claim{Kind: claims.Shares, Metric: "gender", By: "gender"}, claims.ErrMissingColumn, ""},
		{"no second column", rows, claims.Claim{Kind: claims.Correlation, Metric: "admitted"}, claims.ErrMissingColumn, "gender"},
		{"an unknown group", rows, claims.Claim{Kind: claims.Shares, Metric: "admitted", By: "gender", Groups: []string{"woman"}}, claims.ErrUnknownName, "women"},
		{"an unknown outcome", rows, claims.Claim{Kind: claims.Share, Metric: "admitted", Outcome: "tru"}, claims.ErrUnknownName, "true"},
		{"no outcome", rows, claims.Claim{Kind: claims.Share, Metric: "admitted"}, claims.ErrUnknownName, "false"},
		{"no first group", rows, claims.Claim{Kind: claims.Shares, Metric: "admitted", By: "gender", Comparison: claims.More}, claims.ErrUnknownName, "men"},
		{"texts as numbers", rows, claims.Claim{Kind: claims.Means, Metric: "department", By: "gender"}, claims.ErrFieldType, ""},
		{"an unknown kind", rows, claims.Claim{Kind: "median", Metric: "admitted"}, claims.ErrUnknownName, "means"},
		{"an unknown comparison", rows, claims.Claim{Kind: claims.Shares, Metric: "admitted", By: "gender", Comparison: "above"}, claims.ErrUnknownName, "more"},
		{"a part above 1", rows, claims.Claim{Kind: claims.Share, Metric: "admitted", Outcome: "true", Value: new(20.0)}, claims.ErrUnknownName, ""},
		{"a count below 0", rows, claims.Claim{Kind: claims.Share, Metric: "admitted", Outcome: "true", Count: new(-1)}, claims.ErrUnknownName, ""},
		{"a part and a count", rows, claims.Claim{Kind: claims.Share, Metric: "admitted", Outcome: "true", Value: new(0.5), Count: new(1)}, claims.ErrUnknownName, ""},
		{"a part of NaN", rows, claims.Claim{Kind: claims.Share, Metric: "admitted", Outcome: "true", Value: &nan}, claims.ErrUnknownName, ""},
		{"too many groups", many, claims.Claim{Kind: claims.Means, Metric: "v", By: "id"}, claims.ErrTooLarge, "g0"},
		{"too many names of groups", many, claims.Claim{Kind: claims.Means, Metric: "v", By: "id", Groups: make([]string, 101)}, claims.ErrTooLarge, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := claims.Check(t.Context(), claims.Finding{Rows: test.rows, Claim: &test.claim})
			var refused *refusal.Error
			if !errors.As(err, &refused) || !errors.Is(err, test.code) {
				t.Fatalf("error %v, want %s", err, test.code)
			}
			if test.candidate != "" && !slices.Contains(refused.Problems[0].Candidates, test.candidate) {
				t.Errorf("candidates %q, want %s among them", refused.Problems[0].Candidates, test.candidate)
			}
		})
	}
	if _, err := claims.Check(t.Context(), claims.Finding{}); err == nil {
		t.Error("a finding without rows was accepted")
	}
	ragged := &qed.Table{Columns: []qed.Column{{Name: "a"}, {Name: "b"}}, Rows: [][]any{{"x"}}}
	if _, err := claims.Check(t.Context(), claims.Finding{Rows: ragged}); err == nil {
		t.Error("rows of another length were accepted")
	}
}

// Words alone are no claim.
func TestWithoutClaim(t *testing.T) {
	rows := sales(t, 400, func(i int, shop string, noise float64) []any {
		return []any{100 + shift(shop, 10) + 10*noise, kindOf(i)}
	})
	r := check(t, claims.Finding{Text: "The amount depends on the shop because of the weather.", Rows: rows})
	if r.Claim != nil || decision(r) != undecided || results(r)[claims.CheckCausal] != claims.Warn ||
		!slices.ContainsFunc(r.Skipped, func(u claims.SkippedCheck) bool { return u.Name == claims.CheckDifference }) {
		t.Errorf("a text without a claim: %+v", r)
	}
}

// Numbers have the decimal sign of the language.
func TestDecimals(t *testing.T) {
	rows := sales(t, 400, func(i int, shop string, noise float64) []any {
		return []any{100 + shift(shop, 10) + 10*noise, kindOf(i)}
	})
	for language, foreign := range map[string]*regexp.Regexp{"en": regexp.MustCompile(`\d,\d`), "de": regexp.MustCompile(`\d\.\d`)} {
		r := check(t, claims.Finding{Rows: rows, Claim: northMore(), Language: language})
		text := r.Text
		for _, c := range r.Checks {
			text += " " + c.Text
		}
		if foreign.MatchString(text) || !regexp.MustCompile(`p [<=] 0[.,]\d`).MatchString(text) {
			t.Errorf("%s: %s", language, text)
		}
	}
}

func TestLanguage(t *testing.T) {
	for _, test := range []struct{ text, language, want string }{
		{"Männer werden öfter zugelassen als die Frauen.", "", "Die Zeilen widersprechen der Aussage."},
		{"Men are admitted more often than the women.", "", "The rows contradict the finding."},
		{"", "de-AT", "Die Zeilen widersprechen der Aussage."},
		{"", "", "The rows contradict the finding."},
	} {
		r := check(t, claims.Finding{Text: test.text, Rows: berkeley(t), Language: test.language,
			Claim: &claims.Claim{Kind: claims.Shares, Metric: "admitted", By: "gender", Groups: []string{"men"}, Comparison: claims.More}})
		if !strings.HasPrefix(r.Text, test.want) {
			t.Errorf("%q in %q: %q", test.text, test.language, r.Text)
		}
		if strings.ContainsAny(r.Text, "{}") {
			t.Errorf("a name was not replaced: %q", r.Text)
		}
	}
}

// Data that breaks arithmetic: each report has a right verdict, and JSON that
// decodes to an equal report.
func TestHostile(t *testing.T) {
	rows := func(all ...[]any) *qed.Table { return table(t, "g v", all...) }
	alternate := func(n int, a, b any) *qed.Table {
		out := rows()
		for i := range n {
			v := a
			if i%2 == 1 {
				v = b
			}
			out.Append([]string{"a", "b"}[i%2], v)
		}
		return out
	}
	huge := rows()
	for i := range 40 {
		huge.Append([]string{"a", "b"}[i%2], []float64{1e308, -1e308}[i%2]*(1+float64(i)/100)/1.5)
	}
	for _, test := range []struct {
		name string
		rows *qed.Table
		want string
	}{
		{"no rows", rows(), undecided},
		{"all equal", alternate(40, 5, 5), undecided},
		{"two rows", alternate(2, 1, 2), undecided},
		{"one group", rows([]any{"a", 1}, []any{"a", 2}, []any{"a", 3}), undecided},
		{"no group", rows([]any{nil, 1}, []any{nil, 2}), undecided},
		{"no values", alternate(10, nil, nil), undecided},
		{"NaN", alternate(40, math.NaN(), 5), undecided},
		{"constant groups", alternate(40, 1, 2), proved},
		{"1e308", huge, proved},
		{"rounding errors", alternate(40, 0.1+0.2, 0.3), undecided},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := check(t, claims.Finding{Rows: test.rows, Claim: &claims.Claim{Kind: claims.Means, Metric: "v", By: "g"}})
			if decision(r) != test.want {
				t.Errorf("verdict %s, want %s: %s\n%+v", decision(r), test.want, r.Text, r.Checks)
			}
			raw, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			var back claims.Report
			if err := json.Unmarshal(raw, &back); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(r, &back); d != "" {
				t.Errorf("after JSON (-want +got):\n%s", d)
			}
		})
	}
}

// Random tables of such cells: a report has a p-value that is one, and JSON.
func TestRandomTables(t *testing.T) {
	cells := []any{nil, "", "NaN", 1e308, -1e308, 5e-324, 0.0, int64(math.MaxInt64), int64(math.MinInt64), true, false, "a", "b", "N/A",
		"2024-01-01", 0.1 + 0.2, 0.3, 1, 2}
	reports := 0
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 9))
		rows := table(t, "a b c d")
		pools := make([][]any, len(rows.Columns))
		for i := range pools {
			for range 1 + r.IntN(4) {
				pools[i] = append(pools[i], cells[r.IntN(len(cells))])
			}
		}
		for range r.IntN(60) {
			row := make([]any, len(pools))
			for i, pool := range pools {
				row[i] = pool[r.IntN(len(pool))]
			}
			if err := rows.Append(row...); err != nil {
				t.Fatal(err)
			}
		}
		for _, kind := range []claims.Kind{claims.Means, claims.Shares, claims.Correlation, claims.Total, claims.Growth, claims.Ratio,
			claims.Share, claims.Trend, claims.Rank, claims.Most, claims.Never} {
			claim := &claims.Claim{Kind: kind, Metric: "a", With: "b", By: "c"}
			if claim.OfResult() && kind != claims.Never {
				claim.With, claim.Groups, claim.Comparison = "", []string{"a"}, claims.More
				if kind == claims.Total || kind == claims.Share {
					claim.Value, claim.Comparison = new(0.5), claims.Differ
				}
			}
			got, err := claims.Check(t.Context(), claims.Finding{Rows: rows, Result: rows, Measure: "d", Claim: claim})
			if err != nil {
				if !errors.Is(err, claims.ErrFieldType) && !errors.Is(err, claims.ErrUnknownName) {
					t.Fatalf("seed %d, %s: %v", seed, kind, err)
				}
				continue
			}
			reports++
			if got.P != nil && !(*got.P >= 0 && *got.P <= 1) {
				t.Errorf("seed %d, %s: p = %v", seed, kind, *got.P)
			}
			if _, err := json.Marshal(got); err != nil {
				t.Errorf("seed %d, %s: %v", seed, kind, err)
			}
		}
	}
	if reports < 1500 {
		t.Errorf("%d reports only", reports)
	}
}

func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := claims.Check(ctx, claims.Finding{Rows: berkeley(t), Claim: &claims.Claim{Kind: claims.Shares, Metric: "admitted", By: "gender"}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

func TestSession(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 11))
	rows := &qed.Table{Columns: []qed.Column{{Name: "g"}, {Name: "real"}}}
	for i := range 20 {
		rows.Columns = append(rows.Columns, qed.Column{Name: fmt.Sprintf("noise%d", i)})
	}
	for i := range 200 {
		row := []any{[]string{"a", "b"}[i%2], float64(i%2) + r.NormFloat64()}
		for range 20 {
			row = append(row, r.NormFloat64())
		}
		if err := rows.Append(row...); err != nil {
			t.Fatal(err)
		}
	}
	f := func(metric string) claims.Finding {
		return claims.Finding{Rows: rows, Claim: &claims.Claim{Kind: claims.Means, Metric: metric, By: "g"}, Language: "en"}
	}
	var s claims.Session
	significant := 0
	for _, col := range rows.Columns[1:] {
		got, err := s.Check(t.Context(), f(col.Name))
		if err != nil {
			t.Fatal(err)
		}
		if *got.P < 0.05 && col.Name != "real" {
			significant++
		}
	}
	if significant == 0 {
		t.Fatal("no noise is significant alone: the test shows nothing")
	}
	if _, err := s.Check(t.Context(), f("real")); err != nil { // again
		t.Fatal(err)
	}
	all := s.Reports()
	if len(all) != 21 || all[0].Tests != 21 {
		t.Fatalf("%d reports of %d tests, want 21", len(all), all[0].Tests)
	}
	for _, r := range all {
		want := chance
		if r.Claim.Metric == "real" {
			want = proved
		}
		if decision(r) != want || *r.AdjustedP < *r.P {
			t.Errorf("%s: %s, p %v, adjusted %v", r.Claim.Metric, decision(r), *r.P, *r.AdjustedP)
		}
	}
	if d := cmp.Diff(all, claims.NewSession(t.Context(), all...).Reports()); d != "" {
		t.Errorf("a restored session (-want +got):\n%s", d)
	}
}

// The opposite of a claim has to be significant among all tests, too.
func TestSessionOpposite(t *testing.T) {
	report := func(p float64, outcome claims.Outcome) *claims.Report {
		return &claims.Report{P: &p, Checks: []claims.CheckResult{{Name: claims.CheckDifference, Outcome: outcome}}}
	}
	opposite, other := report(0.04, claims.Fail), report(0.9, claims.Pass)
	if got := decision(claims.NewSession(t.Context(), opposite).Reports()[0]); got != contradicted {
		t.Errorf("alone: %s, want %s", got, contradicted)
	}
	if got := decision(claims.NewSession(t.Context(), opposite, other, other).Reports()[0]); got != chance {
		t.Errorf("of three: %s, want %s", got, chance)
	}
}

func TestDeterministic(t *testing.T) {
	f := claims.Finding{Text: "x", Rows: berkeley(t), Claim: &claims.Claim{Kind: claims.Shares, Metric: "admitted", By: "department"}}
	first := check(t, f)
	for range 5 {
		if d := cmp.Diff(first, check(t, f)); d != "" {
			t.Fatalf("another report (-first +again):\n%s", d)
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	rows := &qed.Table{Columns: []qed.Column{{Name: "group"}, {Name: "value"}}}
	for i := range 18 {
		rows.Columns = append(rows.Columns, qed.Column{Name: fmt.Sprintf("c%d", i)})
	}
	for i := range 100_000 {
		row := []any{[]string{"a", "b"}[i%2], float64(i%2) + 5*r.NormFloat64()}
		for c := range 18 {
			row = append(row, fmt.Sprintf("v%d", r.IntN(2+c)))
		}
		if err := rows.Append(row...); err != nil {
			b.Fatal(err)
		}
	}
	f := claims.Finding{Rows: rows, Claim: &claims.Claim{Kind: claims.Means, Metric: "value", By: "group"}}
	b.ReportAllocs()
	for b.Loop() {
		check(b, f)
	}
}
