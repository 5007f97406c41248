package profile

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/qedkit/qed/internal/column"
	"github.com/qedkit/qed/internal/numeric"
)

const (
	minSpan     = 60   // days of data that are examined
	monthly     = 240  // days from which the periods are months, and weeks before
	periodRows  = 5    // rows of a period that is compared
	outOfLine   = 5    // factor between a period and both its neighbours
	minGap      = 5    // days without rows that are reported
	byChance    = 0.01 // expected number of gaps of that size, below which a gap is one
	unusualGap  = 3    // times the usual distance of two days with rows
	evenly      = 1.2  // factor between the distances of days with rows once a week or a month
	dailyRows   = 0.4  // share of the days that have rows, from which a gap is looked for
	maxPeriodic = 20   // columns of numbers
)

// A day has the rows of a day, and the sums of the columns of numbers.
type day struct {
	rows int
	n    []int
	sum  []float64
}

func (d *day) add(e day) {
	d.rows += e.rows
	for i := range d.n {
		d.n[i] += e.n[i]
		d.sum[i] += e.sum[i]
	}
}

// periods looks for days without rows in the first column of times, and for periods in
// which the rows, or the means of numbers, are far from those before and after.
func (r *run) periods(ctx context.Context, p *Profile) error {
	at := slices.IndexFunc(p.Columns, func(c Column) bool { return c.Kind == Times && c.Distinct.Value > minGap })
	if at < 0 {
		return nil
	}
	var numbers []*Column
	for i := range p.Columns {
		c := &p.Columns[i]
		if c.Kind == Numbers && r.columns[i].comparable() && !column.IsIdentifier(c.Name) && !column.IsCalendar(c.Name) && len(numbers) < maxPeriodic {
			numbers = append(numbers, c)
		}
	}
	days, err := r.days(ctx, &p.Columns[at], numbers)
	if err != nil || len(days) == 0 {
		return err
	}
	numbersOfDays := slices.Sorted(maps.Keys(days))
	first, last := numbersOfDays[0], numbersOfDays[len(numbersOfDays)-1]
	if last-first < minSpan {
		return nil
	}
	times := &p.Columns[at]
	times.Problems = append(times.Problems, gaps(numbersOfDays)...)
	starts, all := inPeriods(days, numbersOfDays, last-first >= monthly)
	report := func(c *Column, what string, of func(day) float64) {
		for i := 2; i+2 < len(all); i++ { // the first and the last may be incomplete
			before, v, after := of(all[i-1]), of(all[i]), of(all[i+1])
			if numeric.OutOfLine(before, v, after, outOfLine) {
				factor := v / math.Sqrt(before*after)
				c.Problems = append(c.Problems, Problem{Kind: PeriodOutOfLine, Count: all[i].rows, Message: fmt.Sprintf(
					"from %s %s %.3g times those of the periods before and after", starts[i].Format(time.DateOnly), what, factor)})
				return
			}
		}
	}
	report(times, "the rows are", func(d day) float64 { return float64(d.rows) })
	for i, c := range numbers {
		report(c, "the mean is", func(d day) float64 {
			if d.n[i] < periodRows {
				return 0
			}
			return d.sum[i] / float64(d.n[i])
		})
	}
	return nil
}

// days returns the rows of each day, which is a number of days since 1970.
func (r *run) days(ctx context.Context, times *Column, numbers []*Column) (map[int]day, error) {
	quote := r.source.Dialect.Quote
	items := []string{quote(times.Name), "COUNT(*)"}
	for _, c := range numbers {
		items = append(items, "COUNT("+quote(c.Name)+")", "SUM("+quote(c.Name)+")")
	}
	stmt, err := r.guard.Rewrite(ctx, "SELECT "+strings.Join(items, ", ")+" FROM "+r.from+" GROUP BY "+quote(times.Name))
	if err != nil {
		return nil, err
	}
	read, sums := column.NewReader(times.Type, ""), column.NewReader("", column.Numbers)
	days := map[int]day{}
	for cells, err := range r.source.DB.Rows(ctx, stmt, allRows) {
		if err != nil {
			return nil, err
		}
		class, _, at, err := read.Classify(cells[0])
		if err != nil || class != column.CellTime {
			continue
		}
		one := day{n: make([]int, len(numbers)), sum: make([]float64, len(numbers))}
		if one.rows, err = number(cells[1]); err != nil {
			return nil, err
		}
		for i := range numbers {
			if one.n[i], err = number(cells[2+2*i]); err != nil {
				return nil, err
			}
			if _, sum, _, err := sums.Classify(cells[3+2*i]); err == nil {
				one.sum[i] = sum
			}
		}
		at = time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, time.UTC)
		number := int(at.Unix() / (24 * 60 * 60))
		if d, ok := days[number]; ok {
			one.add(d)
		}
		days[number] = one
	}
	return days, nil
}

// gaps returns the longest time without rows, if rows are usually more frequent, or at even
// distances.
func gaps(days []int) []Problem {
	var distances []float64
	longest, after := 0, 0
	for i, d := range days[1:] {
		distances = append(distances, float64(d-days[i]))
		if d-days[i] > longest {
			longest, after = d-days[i], days[i]
		}
	}
	span := float64(days[len(days)-1] - days[0] + 1)
	share := float64(len(days)) / span
	slices.Sort(distances)
	usual := numeric.Quantile(0.9, distances)
	missing := longest - 1
	regular := len(distances) > minGap && usual > minGap && usual <= evenly*numeric.Quantile(0.1, distances) && float64(longest) > 1.5*usual
	if !regular && (share < dailyRows || missing < minGap || float64(longest) < unusualGap*usual ||
		math.Pow(1-share, float64(missing))*span > byChance) {
		return nil
	}
	from := time.Unix(int64(after+1)*24*60*60, 0).UTC()
	return []Problem{{Kind: MissingPeriod, Count: missing, Message: fmt.Sprintf("from %s there are no rows for %d days",
		from.Format(time.DateOnly), missing)}}
}

// inPeriods returns the rows by month or by week, with the beginnings.
func inPeriods(days map[int]day, order []int, months bool) (starts []time.Time, all []day) {
	for _, number := range order {
		at := time.Unix(int64(number)*24*60*60, 0).UTC()
		start := at.AddDate(0, 0, -(int(at.Weekday())+6)%7)
		if months {
			start = at.AddDate(0, 0, 1-at.Day())
		}
		if len(starts) == 0 || !starts[len(starts)-1].Equal(start) {
			starts, all = append(starts, start), append(all, days[number])
			continue
		}
		sum := days[number]
		sum.n, sum.sum = slices.Clone(sum.n), slices.Clone(sum.sum)
		sum.add(all[len(all)-1])
		all[len(all)-1] = sum
	}
	return starts, all
}
