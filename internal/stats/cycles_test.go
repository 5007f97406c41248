package stats_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/qedkit/qed/internal/stats"
)

func cycleOf(t *testing.T, name stats.CycleName, at any, values []float64) stats.Cycle {
	t.Helper()
	s := must[*stats.Seasonality](t)(stats.FindSeasonality(table(t, "at", at, "v", values), "at", "v", nil))
	for _, c := range s.Cycles {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("no cycle %s", name)
	return stats.Cycle{}
}

// The figures are SciPy's kruskal on the series less its centred average of 2x12 months.
func TestSeasonalityAirline(t *testing.T) {
	c := cycleOf(t, stats.MonthOfYear, dates("1949-01-01", 144, 0, 1, 0), airline)
	if !c.Found || c.N != 132 || c.Cycles != 12 || c.DF != 11 || len(c.Phases) != 12 {
		t.Errorf("%+v", c)
	}
	diff(t, "H, P, strength, autocorrelation",
		[]float64{111.36427199368931, 9.779172654293226e-19, 0.8363689332807442, 0.8462170785308992},
		[]float64{c.H, c.P, c.Strength, c.Autocorrelation})
	july, november := c.Phases[6], c.Phases[10]
	if july.Name != "July" || november.Name != "November" || july.Effect < 50 || november.Effect > -30 || july.Median != 333 {
		t.Errorf("July %+v, November %+v", july, november)
	}
	if q := cycleOf(t, stats.QuarterOfYear, dates("1949-01-01", 144, 0, 1, 0), airline); !q.Found || q.Phases[2].Name != "Q3" || q.Phases[2].Effect <= 0 {
		t.Errorf("quarters: %+v", q)
	}
	for _, name := range []stats.CycleName{stats.HourOfDay, stats.Weekday} {
		if c := cycleOf(t, name, dates("1949-01-01", 144, 0, 1, 0), airline); c.Unclear == "" || c.Found || c.P != 1 {
			t.Errorf("the %s of months: %+v", name, c)
		}
	}
}

func TestSeasonalityHoursAndWeekdays(t *testing.T) {
	var at []string
	var values []float64
	r := noise(7, 24*56)
	for i := range 24 * 56 {
		when := time.Date(2025, 1, 6, i, 0, 0, 0, time.UTC) // a Monday
		v := r[i] + float64(i)/100                          // with a trend
		if when.Hour() == 9 {
			v += 10
		}
		if when.Weekday() == time.Friday {
			v += 5
		}
		at, values = append(at, when.Format(time.RFC3339)), append(values, v)
	}
	hour := cycleOf(t, stats.HourOfDay, at, values)
	day := cycleOf(t, stats.Weekday, at, values)
	highest := func(c stats.Cycle) string {
		best := c.Phases[0]
		for _, p := range c.Phases {
			if p.Effect > best.Effect {
				best = p
			}
		}
		return best.Name
	}
	if !hour.Found || highest(hour) != "09:00" || len(hour.Phases) != 24 || hour.Phases[0].Name != "00:00" {
		t.Errorf("hours: %+v", hour)
	}
	if !day.Found || highest(day) != "Friday" || len(day.Phases) != 7 || day.Phases[0].Name != "Monday" {
		t.Errorf("weekdays: %+v", day)
	}
	if month := cycleOf(t, stats.MonthOfYear, at, values); month.Unclear == "" {
		t.Errorf("months of eight weeks: %+v", month)
	}
}

// Offices are closed on weekends: those days have no value, and a count of 0.
func TestSeasonalityOfOpenDays(t *testing.T) {
	var at []string
	var values []float64
	for i, day := range dates("2025-01-06", 70, 0, 0, 1) {
		if i%7 < 5 {
			at, values = append(at, day), append(values, float64(i%7)+noise(uint64(i), 1)[0]/10)
		}
	}
	if c := cycleOf(t, stats.Weekday, at, values); !c.Found || len(c.Phases) != 5 || c.Phases[4].Name != "Friday" {
		t.Errorf("values: %+v", c)
	}
	s := must[*stats.Seasonality](t)(stats.FindSeasonality(table(t, "at", at), "at", "", nil))
	if c := s.Cycles[1]; !c.Found || len(c.Phases) != 7 || c.Phases[6].Median != 0 || c.Phases[0].Median != 1 {
		t.Errorf("counted rows: %+v", c)
	}
}

// Noise, trends and random walks must rarely be reported as cycles.
func TestSeasonalityFalseAlarms(t *testing.T) {
	for _, tt := range []struct {
		name   string
		phi, a float64
	}{{"independent", 0, 0}, {"trend", 0, 0.5}, {"alike", 0.8, 0}, {"random walk", 1, 0}} {
		alarms := 0
		for seed := range uint64(150) {
			y := noise(seed+5000, 96)
			for i := 1; i < len(y); i++ {
				y[i] += tt.phi*y[i-1] + tt.a
			}
			if cycleOf(t, stats.MonthOfYear, dates("2010-01-01", 96, 0, 1, 0), y).Found {
				alarms++
			}
		}
		t.Logf("%s: %d of 150", tt.name, alarms)
		if alarms > 12 {
			t.Errorf("%s values: a cycle in %d of 150", tt.name, alarms)
		}
	}
}

func TestSeasonalityUnclear(t *testing.T) {
	for name, n := range map[string]int{"none": 0, "one": 1, "twenty days": 20} {
		s := must[*stats.Seasonality](t)(stats.FindSeasonality(table(t, "at", dates("2025-01-06", n, 0, 0, 1), "v", make([]float64, n)), "at", "v", nil))
		for _, c := range s.Cycles {
			if c.Unclear == "" || c.Found || c.P != 1 {
				t.Errorf("%s: %+v", name, c)
			}
		}
	}
	if c := cycleOf(t, stats.Weekday, dates("2025-01-06", 40, 0, 0, 1), make([]float64, 40)); c.Unclear == "" {
		t.Errorf("a constant: %+v", c)
	}
	far := []string{"1000-01-01T10:00:00Z", "5000-01-01T10:00:00Z"}
	if c := cycleOf(t, stats.HourOfDay, far, []float64{1, 2}); c.Unclear == "" {
		t.Errorf("four thousand years of hours: %+v", c)
	}
}

func TestSeasonalityInvariance(t *testing.T) {
	at := dates("1949-01-01", 144, 0, 1, 0)
	a := cycleOf(t, stats.MonthOfYear, at, airline)
	b := cycleOf(t, stats.MonthOfYear, at, mapped(airline, func(_ int, v float64) float64 { return v * 0x1p950 }))
	if !sameBits(a.H, b.H) || !sameBits(a.Phases[0].Median*0x1p950, b.Phases[0].Median) || !sameBits(a.Autocorrelation, b.Autocorrelation) {
		t.Errorf("scaled by 2^950: %v and %v", a, b)
	}
	moved := cycleOf(t, stats.MonthOfYear, at, mapped(airline, func(_ int, v float64) float64 { return v - 1024 }))
	if !sameBits(a.H, moved.H) {
		t.Errorf("moved by 1024: H %v and %v", a.H, moved.H)
	}
	if fmt.Sprint(a) != fmt.Sprint(cycleOf(t, stats.MonthOfYear, at, airline)) {
		t.Error("the same table gives other figures")
	}
}

// Days without a value must not keep large values from being scaled.
func TestSeasonalityOfLargeValuesWithGaps(t *testing.T) {
	var at []string
	var values []float64
	for i := range 60 {
		if i%11 == 5 {
			continue
		}
		v := 1e308 * float64(1-2*(i%2))
		if i%7 == 0 {
			v = 1.7e308
		}
		at = append(at, time.Date(2025, 1, 6+i, 0, 0, 0, 0, time.UTC).Format(time.DateOnly))
		values = append(values, v)
	}
	c := cycleOf(t, stats.Weekday, at, values)
	if raw, err := json.Marshal(c); err != nil || c.Unclear != "" {
		t.Errorf("%s, %v: %+v", raw, err, c)
	}
}
