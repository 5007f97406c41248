package analyst

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/qedkit/qed/analyst/claims"
	"github.com/qedkit/qed/analyst/dataset"
	"github.com/qedkit/qed/analyst/tabular"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

// A world generates the data of one company. Worlds differ in what they measure, in how
// it is distributed, and in the columns next to it.
type world struct {
	r      *rand.Rand
	seed   int
	metric string // the measured number
	group  string // the column of the groups, with two of its values
	a, b   string
	kind   string // a category
	kinds  []string
	number string // another number
	base   float64
	shape  int // of the distribution of the metric
	rows   int
	months int
	id     bool // each row has an identifier
}

func newWorld(seed int) *world {
	domains := []world{
		{metric: "amount", group: "region", a: "north", b: "south", kind: "category", kinds: []string{"books", "games", "food", "toys"}, number: "quantity", base: 60},
		{metric: "stay_days", group: "ward", a: "east wing", b: "west wing", kind: "diagnosis", kinds: []string{"hip", "knee", "heart"}, number: "age", base: 9},
		{metric: "salary", group: "site", a: "Köln", b: "Graz", kind: "job", kinds: []string{"clerk", "engineer", "manager", "driver", "cook"}, number: "experience", base: 48000},
		{metric: "seconds", group: "variant", a: "new", b: "old", kind: "device", kinds: []string{"phone", "desktop"}, number: "pages", base: 140},
		{metric: "kwh", group: "plant", a: "P1", b: "P2", kind: "line", kinds: []string{"press", "paint", "weld"}, number: "temperature", base: 820},
		{metric: "Umsatz", group: "Filiale", a: "Mitte", b: "Süd", kind: "Warengruppe", kinds: []string{"Obst", "Brot", "Käse", "Wein"}, number: "Kunden", base: 1900},
	}
	w := domains[seed%len(domains)]
	w.r = rand.New(rand.NewPCG(uint64(seed), 38))
	w.seed = seed
	w.shape = w.r.IntN(4)
	w.rows = 300 + w.r.IntN(900)
	w.months = 6 + w.r.IntN(12)
	w.id = w.r.IntN(2) == 0
	return &w
}

// value returns a value of the metric around a mean.
func (w *world) value(mean float64) float64 {
	var v float64
	switch w.shape {
	case 0:
		v = mean * (1 + 0.18*w.r.NormFloat64())
	case 1:
		v = mean * math.Exp(0.35*w.r.NormFloat64()-0.06)
	case 2:
		v = mean * (0.5 + w.r.Float64())
	default:
		v = mean * (w.r.ExpFloat64() + w.r.ExpFloat64() + w.r.ExpFloat64() + w.r.ExpFloat64()) / 4
	}
	digits := 100.0
	if mean > 1000 {
		digits = 1
	}
	return math.Max(0.01*mean, math.Round(v*digits)/digits)
}

// A record is a row before it is written.
type record struct {
	second bool // of group b
	kind   int
	number float64
	day    time.Time
	value  float64
}

func (w *world) begin() time.Time {
	return time.Date(2022+w.seed%3, time.Month(1+w.seed%7), 1, 0, 0, 0, 0, time.UTC)
}

// day returns a day of the data, at a part of its whole time.
func (w *world) day(part float64) time.Time {
	end := w.begin().AddDate(0, w.months, 0)
	days := int(end.Sub(w.begin()).Hours() / 24)
	return w.begin().AddDate(0, 0, min(days-1, int(part*float64(days))))
}

// records returns honest rows, in which group a is larger by a part. choose changes a
// record before its value is drawn, and returns what the mean is multiplied by.
func (w *world) records(effect float64, choose func(*record) float64) []record {
	all := make([]record, 0, w.rows)
	for i := range w.rows {
		rec := record{second: w.r.IntN(2) == 1, kind: w.r.IntN(len(w.kinds)), number: math.Round(20 + 60*w.r.Float64()),
			day: w.day((float64(i) + 0.5) / float64(w.rows))}
		mean := w.base * (1 + 0.1*float64(rec.kind)) * (1 + 0.002*rec.number)
		if choose != nil {
			mean *= choose(&rec)
		}
		if !rec.second {
			mean *= 1 + effect
		}
		rec.value = w.value(mean)
		all = append(all, rec)
	}
	return all
}

// csv returns the rows as a file: with a tax that follows from the metric, a note that
// is mostly empty, and a few values that are missing.
func (w *world) csv(records []record) string {
	var text strings.Builder
	head := []string{"day", w.group, w.kind, w.number, w.metric, "tax", "note"}
	if w.id {
		head = append([]string{"id"}, head...)
	}
	fmt.Fprintln(&text, strings.Join(head, ","))
	for i, rec := range records {
		group := w.a
		if rec.second {
			group = w.b
		}
		value, tax := fmt.Sprint(rec.value), fmt.Sprintf("%.2f", 0.19*rec.value)
		if i%97 == 41 {
			value = ""
		}
		row := []string{rec.day.Format(time.DateOnly), group, w.kinds[rec.kind], fmt.Sprint(rec.number), value, tax, []string{"", "", "", "late"}[i%4]}
		if w.id {
			row = append([]string{fmt.Sprint(1000 + i)}, row...)
		}
		fmt.Fprintln(&text, strings.Join(row, ","))
	}
	return text.String()
}

func (w *world) means(comparison claims.Comparison) *claims.Claim {
	return &claims.Claim{Kind: claims.Means, Metric: w.metric, By: w.group, Groups: []string{w.a, w.b}, Comparison: comparison}
}

// A planted is a finding about data, and the check that must object to it. An empty
// check means that the finding is true.
type planted struct {
	name, csv, query, text string
	claim                  *claims.Claim
	check                  string
}

func (w *world) byGroup() string {
	return fmt.Sprintf(`SELECT "%s", avg("%s") AS mean FROM t_parsed GROUP BY 1`, w.group, w.metric)
}

func (w *world) byMonth() string {
	return fmt.Sprintf(`SELECT strftime('%%Y-%%m', day) AS month, sum("%s") AS total FROM t_parsed GROUP BY 1 ORDER BY 1`, w.metric)
}

// month is the label of a month, from 0; negative from the end.
func (w *world) month(i int) string {
	if i < 0 {
		i += w.months
	}
	return w.begin().AddDate(0, i, 0).Format("2006-01")
}

// totals returns the totals by month.
func totals(records []record) map[string]float64 {
	all := map[string]float64{}
	for i, rec := range records {
		if i%97 != 41 { // missing
			all[rec.day.Format("2006-01")] += rec.value
		}
	}
	return all
}

func total(records []record) (sum float64) {
	for _, v := range totals(records) {
		sum += v
	}
	return sum
}

func rounded(v float64, digits int) *float64 {
	scale := math.Pow10(digits)
	v = math.Round(v*scale) / scale
	return &v
}

// daily makes each month have rows on most days.
func (w *world) daily() *world {
	w.rows = max(w.rows, w.months*31*2)
	return w
}

// faults returns a data set with one fault of each class.
func faults(seed int) []planted {
	fresh := func(i int) *world { return newWorld(seed*31 + i) }
	var all []planted
	add := func(name string, w *world, records []record, claim *claims.Claim, query, text, check string) {
		all = append(all, planted{name, w.csv(records), query, text, claim, check})
	}

	w := fresh(1) // group a has the larger numbers, on which the metric depends
	add("paradox by number", w, w.records(-0.1, func(rec *record) float64 {
		rec.number = math.Round(100*math.Sqrt(w.r.Float64())) / 2
		if rec.second {
			rec.number = 50 - rec.number
		}
		rec.number = math.Round(rec.number*10) / 10
		return 1 + 0.05*rec.number
	}), w.means(claims.More), w.byGroup(), "The first group is larger.", claims.CheckSimpson)

	w = fresh(2) // group a is mostly of the later months, in which all is larger
	add("paradox by date", w, w.records(-0.1, func(rec *record) float64 {
		part := rec.day.Sub(w.begin()).Hours() / 24 / 30.4 / float64(w.months)
		rec.second = w.r.Float64() > 0.1+0.8*part
		return 1 + 2*part
	}), w.means(claims.More), w.byGroup(), "The first group is larger.", claims.CheckSimpson)

	w = fresh(3)
	add("paradox by category", w, w.records(-0.12, func(rec *record) float64 {
		rec.kind = 0
		if rec.second == (w.r.Float64() < 0.2) {
			rec.kind = 1
			return 2.2
		}
		return 1
	}), w.means(claims.More), w.byGroup(), "The first group is larger.", claims.CheckSimpson)

	w = fresh(4) // a few rows without a difference, many times
	w.rows, w.id = 30+w.r.IntN(20), seed%2 == 0
	once := w.records(0.08, nil)
	copied := w.csv(once)
	head, body, _ := strings.Cut(copied, "\n")
	all = append(all, planted{"duplicates", head + "\n" + strings.Repeat(body, 25+seed), w.byGroup(), "The first group is larger.", w.means(claims.More), claims.CheckCopies})

	w = fresh(5) // half of the file was loaded twice, and the total has both
	records := w.records(0.2, nil)
	lines := strings.SplitAfter(w.csv(records), "\n")
	query := fmt.Sprintf(`SELECT sum("%s") AS total FROM t_parsed`, w.metric)
	again := 0.0
	for i, rec := range records[:len(records)/2] {
		if i%97 != 41 {
			again += rec.value
		}
	}
	all = append(all, planted{"duplicates in a total", strings.Join(append(lines, lines[1:1+len(records)/2]...), ""), query, "The total.",
		&claims.Claim{Kind: claims.Total, Metric: "total", Value: rounded(total(records)+again, 0)}, claims.CheckCopies})

	w = fresh(6).daily() // the last month ends after a third
	records = slices.DeleteFunc(w.records(0.1, nil), func(rec record) bool {
		return rec.day.Format("2006-01") == w.month(-1) && rec.day.Day() > 9
	})
	of := totals(records)
	add("incomplete period", w, records, &claims.Claim{Kind: claims.Growth, Metric: "total", By: "month", Groups: []string{w.month(-1), w.month(-2)},
		Value: rounded(of[w.month(-1)]/of[w.month(-2)]-1, 2)}, w.byMonth(), "The total fell.", claims.CheckPeriods)

	w = fresh(7).daily() // a month in thousands
	records = w.records(0.1, nil)
	for i, rec := range records {
		if rec.day.Format("2006-01") == w.month(3) {
			records[i].value = math.Max(0.01, math.Round(rec.value)/1000)
		}
	}
	add("broken period", w, records, &claims.Claim{Kind: claims.Rank, Metric: "total", By: "month", Groups: []string{w.month(3)}, Comparison: claims.Less},
		w.byMonth(), "The total is the smallest.", claims.CheckPeriods)

	w = fresh(8) // a part of the rows of group a is in cents
	records = w.records(0, nil)
	for i, rec := range records {
		if !rec.second && i%3 == 0 {
			records[i].value = rec.value * 100
		}
	}
	add("unit", w, records, w.means(claims.More), w.byGroup(), "The first group is larger.", claims.CheckUnits)

	w = fresh(9) // one value makes the total
	records = w.records(0.1, nil)
	records[len(records)/3].value = w.base * float64(w.rows) * (0.5 + float64(seed))
	records[len(records)/3].second = false
	add("outlier", w, records, &claims.Claim{Kind: claims.Share, Metric: "total", By: w.group, Groups: []string{w.a},
		Comparison: claims.AtLeast, Value: rounded(0.5, 1)},
		fmt.Sprintf(`SELECT "%s", sum("%s") AS total FROM t_parsed GROUP BY 1`, w.group, w.metric), "The first group has most.", claims.CheckUnits)

	w = fresh(10) // two monthly or weekly series that only rise
	var series strings.Builder
	fmt.Fprintf(&series, "%s,visits,%s\n", []string{"day", "year"}[seed%2], w.metric)
	for i := range 36 + 12*(seed%3) {
		label := w.begin().AddDate(0, i, 0).Format(time.DateOnly)
		if seed%2 == 1 {
			label = fmt.Sprint(1960 + i)
		}
		fmt.Fprintf(&series, "%s,%.1f,%.2f\n", label, 500+20*float64(i)+60*w.r.NormFloat64(), w.base*(1+0.03*float64(i)+0.08*w.r.NormFloat64()))
	}
	all = append(all, planted{"shared trend", series.String(), "SELECT * FROM t_parsed", "The visits and the metric rise together.",
		&claims.Claim{Kind: claims.Correlation, Metric: "visits", With: w.metric, Comparison: claims.More}, claims.CheckTrend})

	w = fresh(11)
	text := []string{"The branch increases it.", "Der Standort steigert ihn.", "It is due to the site.", "The new form drives it.", "It improves by the change."}[seed%5]
	claim := w.means(claims.More)
	claim.Causal = true
	add("causal claim", w, w.records(0.3, nil), claim, w.byGroup(), text, claims.CheckCausal)

	w = fresh(12)
	records = w.records(0.1, nil)
	wrong := total(records) * []float64{1.1, 0.9, 1.02, 10, 0.5, 1.3}[seed%6]
	add("wrong total", w, records, &claims.Claim{Kind: claims.Total, Metric: "total", Value: rounded(wrong, 0)},
		fmt.Sprintf(`SELECT sum("%s") AS total FROM t_parsed`, w.metric), "The total.", claims.CheckValue)

	w = fresh(13).daily()
	records = w.records(0.1, nil)
	of = totals(records)
	growth := of[w.month(2)]/of[w.month(1)] - 1 + []float64{0.03, -0.05, 0.1, 0.2, -0.2, 0.5}[seed%6]
	add("wrong growth", w, records, &claims.Claim{Kind: claims.Growth, Metric: "total", By: "month", Groups: []string{w.month(2), w.month(1)}, Value: rounded(growth, 2)},
		w.byMonth(), "The total changed.", claims.CheckValue)
	return all
}

// honest returns true findings about data without a fault.
func honest(seed int) []planted {
	fresh := func(i int) *world { return newWorld(7000 + seed*37 + i) }
	var all []planted
	add := func(name string, w *world, records []record, claim *claims.Claim, query string) {
		all = append(all, planted{name, w.csv(records), query, "The finding.", claim, ""})
	}
	w := fresh(1)
	add("means", w, w.records(0.25, nil), w.means(claims.More), w.byGroup())

	w = fresh(2)
	claim := w.means(claims.Less)
	claim.Stratifiers = []string{w.kind, w.number, "day"}
	add("means with stratifiers", w, w.records(-0.25, nil), claim, w.byGroup())

	w = fresh(3) // all grows with time, alike in both groups
	add("means and a trend", w, w.records(0.3, func(rec *record) float64 {
		return 1 + rec.day.Sub(w.begin()).Hours()/24/400
	}), w.means(claims.More), w.byGroup())

	w = fresh(4)
	records := w.records(0.1, nil)
	add("total", w, records, &claims.Claim{Kind: claims.Total, Metric: "total", Value: rounded(total(records), 0)},
		fmt.Sprintf(`SELECT sum("%s") AS total FROM t_parsed`, w.metric))

	w = fresh(5).daily()
	records = w.records(0.1, func(rec *record) float64 { return 1 + 0.3*math.Sin(float64(rec.day.YearDay())/58) })
	of := totals(records)
	add("growth", w, records, &claims.Claim{Kind: claims.Growth, Metric: "total", By: "month", Groups: []string{w.month(2), w.month(1)},
		Value: rounded(of[w.month(2)]/of[w.month(1)]-1, 2)}, w.byMonth())

	w = fresh(6).daily() // a true peak
	records = w.records(0.1, func(rec *record) float64 {
		if rec.day.Format("2006-01") == w.month(2) {
			return 1.6
		}
		return 1
	})
	add("peak", w, records, &claims.Claim{Kind: claims.Rank, Metric: "total", By: "month", Groups: []string{w.month(2)}}, w.byMonth())

	w = fresh(7)
	records = w.records(0.1, nil)
	part := 0.0
	for i, rec := range records {
		if !rec.second && i%97 != 41 {
			part += rec.value
		}
	}
	add("share", w, records, &claims.Claim{Kind: claims.Share, Metric: "total", By: w.group, Groups: []string{w.a}, Value: rounded(part/total(records), 2)},
		fmt.Sprintf(`SELECT "%s", sum("%s") AS total FROM t_parsed GROUP BY 1`, w.group, w.metric))

	w = fresh(8) // two series that move together
	var series strings.Builder
	fmt.Fprintf(&series, "day,visits,%s\n", w.metric)
	for i := range 48 {
		move := w.r.NormFloat64()
		fmt.Fprintf(&series, "%s,%.1f,%.2f\n", w.begin().AddDate(0, i, 0).Format(time.DateOnly),
			500+4*float64(i)+60*move, w.base*(1+0.004*float64(i)+0.1*move+0.03*w.r.NormFloat64()))
	}
	all = append(all, planted{"correlation", series.String(), "SELECT * FROM t_parsed", "They rise together.",
		&claims.Claim{Kind: claims.Correlation, Metric: "visits", With: w.metric, Comparison: claims.More}, ""})

	w = fresh(9) // survey rows that are equal by chance
	var survey strings.Builder
	survey.WriteString("team,shift,satisfied\n")
	for range 400 {
		team, yes := w.r.IntN(2), 0.4
		if team == 0 {
			yes = 0.65
		}
		fmt.Fprintf(&survey, "%s,%s,%v\n", []string{"red", "blue"}[team], []string{"day", "night", "late"}[w.r.IntN(3)], w.r.Float64() < yes)
	}
	all = append(all, planted{"survey", survey.String(), "SELECT team, avg(satisfied) AS share FROM t_parsed GROUP BY 1", "Red is happier.",
		&claims.Claim{Kind: claims.Shares, Metric: "satisfied", Outcome: "1", By: "team", Groups: []string{"red", "blue"}, Comparison: claims.More}, ""})

	w = fresh(10).daily()
	records = w.records(0.1, func(rec *record) float64 { return 1 + rec.day.Sub(w.begin()).Hours()/24/100 })
	add("trend", w, records, &claims.Claim{Kind: claims.Trend, Metric: "total", By: "month", Comparison: claims.More}, w.byMonth())
	return all
}

// examine checks a finding as validateAnalysis does.
func examine(t *testing.T, p planted) *claims.Report {
	t.Helper()
	loaded, err := dataset.Load(t.Context(), strings.NewReader(p.csv), &tabular.Options{TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close()
	opt, err := (*Options)(nil).withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	d, err := newData(Data{DB: loaded.DB, Policy: loaded.Policy, Dialect: sqlite.Dialect{}}, opt)
	if err != nil {
		t.Fatal(err)
	}
	e := &explorer{data: d, checks: &claims.Session{}}
	report, _, err := e.check(t.Context(), validateArguments{Finding: p.text, RelatedQuery: p.query, Claim: p.claim})
	if err != nil {
		t.Fatalf("%s: %v", p.name, err)
	}
	return report
}

// objects reports whether a report objects to a finding by a check.
func objects(r *claims.Report, check string) bool {
	return slices.ContainsFunc(r.Checks, func(c claims.CheckResult) bool {
		return (c.Name == check || check == "") && (c.Outcome != claims.Pass || c.Name == claims.CheckCopies)
	})
}

// Of data sets with one fault each, at least 95 % are found, by the check that is for
// the fault, and of true findings at most 2 % are doubted.
func TestPlantedFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("computes statistics of hundreds of tables")
	}
	found, all := 0, 0
	for seed := range 5 {
		for _, p := range faults(seed) {
			all++
			r := examine(t, p)
			if r.Verdict != dates.Proved && objects(r, p.check) {
				found++
			} else {
				t.Logf("not found: %s %d: %s: %s %+v", p.name, seed, r.Verdict, r.Text, r.Checks)
			}
		}
	}
	if all < 60 || found*100 < all*95 {
		t.Errorf("%d of %d faults were found", found, all)
	}
	alarms, all := 0, 0
	for seed := range 6 {
		for _, p := range honest(seed) {
			all++
			if r := examine(t, p); r.Verdict != dates.Proved || objects(r, "") {
				alarms++
				t.Logf("false alarm: %s %d: %s: %s", p.name, seed, r.Verdict, r.Text)
			}
		}
	}
	if all < 60 || alarms*100 > all*2 {
		t.Errorf("%d of %d true findings were doubted", alarms, all)
	}
}

// What never happens is not what is spelled in another way.
func TestNever(t *testing.T) {
	csv := "region,status,amount,name\n" + strings.Repeat("north,paid,5,Johnson\nsouth,open,7,O'Brian\neast,paid,9,Johnson\n", 20)
	for i := range 300 { // more names than are compared without a search
		csv += fmt.Sprintf("north,paid,5,%c%c%d\n", 'A'+i%26, 'a'+i%24, 10_000_000+7919*i)
	}
	for where, want := range map[string]string{
		"amount < 0":                           "proved",
		"region = 'north' AND amount > 6":      "proved",
		"status = 'refunded'":                  "proved",
		"region = 'nort' AND amount < 0":       "not_checked doubt",
		"status = 'payd'":                      "not_checked doubt",
		"region = 'south' AND status = 'open'": "contradicted",

		"status = 'refunded' AND status <> 'open'": "proved", // the data has the other text
		"region = 'north' AND region = 'south'":    "proved",
		"name = 'Johnson' AND name = 'O''Brian'":   "proved",
		"name = 'Zimmermann'":                      "proved",
		"name = 'Jonson'":                          "not_checked doubt",
		"name = 'Jhonson'":                         "not_checked doubt",
		"name = 'O''Brien'":                        "not_checked doubt",
		"name IN ('Zimmermann', 'Jhonson')":        "not_checked doubt",
	} {
		query := "SELECT * FROM t_parsed WHERE " + where
		r := examine(t, planted{where, csv, query, "It never happens.", &claims.Claim{Kind: claims.Never}, ""})
		if decision(r) != want {
			t.Errorf("%s: %s, want %s: %s", where, decision(r), want, r.Text)
		}
		counted := examine(t, planted{where, csv, strings.Replace(query, "*", "count(*) AS n", 1), "It never happens.",
			&claims.Claim{Kind: claims.Never, Metric: "n"}, ""})
		if decision(counted) != want {
			t.Errorf("counted, %s: %s, want %s: %s", where, decision(counted), want, counted.Text)
		}
	}
}

// decision returns the verdict of a report, with its reason if there is one.
func decision(r *claims.Report) string {
	return strings.TrimSpace(string(r.Verdict) + " " + string(r.Reason))
}
