// Package orders makes the data of the example: the service orders of a company
// with two teams, over two years. The data is random, always the same, and has
// faults on purpose:
//
//   - Simpson's paradox: team Beta is on time more often than team Alpha. For each
//     kind of job, Alpha is on time more often. Alpha has the difficult jobs.
//   - A broken month: the invoices of BrokenMonth are in cents.
//   - Duplicates: the orders of the days from DoubledFrom to DoubledTo are in the
//     file twice.
//   - A spurious correlation: customers log in to the app more often, and wait
//     longer, from quarter to quarter. Within a quarter the two are independent.
//   - Missing values: the rating of an order that was late is missing more often.
package orders

import (
	"encoding/csv"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"time"
)

const (
	Count = 60_000 // of orders, without the duplicates

	BrokenMonth = "2024-07"
	DoubledFrom = "2024-03-11"
	DoubledTo   = "2024-03-17"
)

// Columns are the names of the columns.
var Columns = []string{
	"order_id", "ordered_on", "quarter", "depot", "team", "job", "distance_km", "wait_days", "app_logins", "invoice", "on_time", "rating",
}

var (
	first  = time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC)
	days   = 731 // until the end of 2024
	depots = []string{"North", "East", "South", "West"}
)

// A team has some jobs more often than others, and is on time for a share of each.
type team struct {
	name         string
	jobs, onTime [len(jobs)]float64
}

// jobs are the kinds of jobs with their mean invoice.
var jobs = [...]struct {
	name    string
	invoice float64
}{{"install", 120}, {"repair", 260}, {"overhaul", 900}}

var teams = []team{
	{"Alpha", [...]float64{0.20, 0.30, 0.50}, [...]float64{0.95, 0.85, 0.62}},
	{"Beta", [...]float64{0.60, 0.30, 0.10}, [...]float64{0.90, 0.78, 0.52}},
}

// Write writes the orders to w as CSV with a header, ascending by day.
func Write(w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.Write(Columns); err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(2024, 7))
	for i := range Count {
		row := order(r, i)
		if err := out.Write(row); err != nil {
			return err
		}
		if day := row[1]; DoubledFrom <= day && day <= DoubledTo {
			if err := out.Write(row); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

// order returns the i-th order.
func order(r *rand.Rand, i int) []string {
	day := first.AddDate(0, 0, i*days/Count)
	quarter := (day.Year()-first.Year())*4 + (int(day.Month())-1)/3
	t := teams[r.IntN(len(teams))]
	job := choose(r, t.jobs[:])
	invoice := jobs[job].invoice * math.Exp(0.35*r.NormFloat64())
	if day.Format("2006-01") == BrokenMonth {
		invoice *= 100
	}
	onTime, noRating := "1", 0.04
	if r.Float64() >= t.onTime[job] {
		onTime, noRating = "0", 0.20
	}
	rating := ""
	if stars := 1 + choose(r, []float64{0.04, 0.08, 0.18, 0.38, 0.32}); r.Float64() >= noRating {
		rating = strconv.Itoa(stars)
	}
	return []string{
		"S" + strconv.Itoa(100_000+i),
		day.Format(time.DateOnly),
		strconv.Itoa(first.Year()+quarter/4) + "-Q" + strconv.Itoa(1+quarter%4),
		depots[r.IntN(len(depots))],
		t.name,
		jobs[job].name,
		decimal(18*math.Exp(0.6*r.NormFloat64()), 1),
		decimal(max(0, 3+0.5*float64(quarter)+r.NormFloat64()), 1),
		strconv.Itoa(max(0, int(200+100*float64(quarter)+120*r.NormFloat64()))),
		decimal(invoice, 2),
		onTime,
		rating,
	}
}

// choose returns the index of one of the shares, which add up to 1.
func choose(r *rand.Rand, shares []float64) int {
	at := r.Float64()
	for i, share := range shares {
		if at -= share; at < 0 {
			return i
		}
	}
	return len(shares) - 1
}

func decimal(v float64, digits int) string { return strconv.FormatFloat(v, 'f', digits, 64) }
