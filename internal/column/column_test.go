package column_test

import (
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/column"
)

func TestReadAs(t *testing.T) {
	for _, tt := range []struct {
		name string
		typ  string
		cell any
		want column.Kind // that the caller needs
		kind column.Kind
	}{
		{"a year", "", 2024, "", column.Numbers},
		{"a year as a time", "", 2024, column.Times, column.Times},
		{"a year in a date column", "DATE", 2024, "", column.Times},
		{"a year in a date column as a number", "DATE", 2024, column.Numbers, column.Numbers},
		{"seconds as text", "", "1736294400", column.Times, column.Times},
		{"a small number as a time", "", 5, column.Times, column.Numbers},
		{"a code", "VARCHAR(10)", "10", "", column.Texts},
		{"a code as a number", "VARCHAR(10)", "10", column.Numbers, column.Numbers},
		{"a key of GraphQL", "ID", "10", "", column.Texts},
		{"a decimal of GraphQL", "Decimal", "10.5", "", column.Numbers},
		{"an interval", "INTERVAL", "10", "", column.Numbers},
	} {
		table := &qed.Table{Columns: []qed.Column{{Name: "c", Type: tt.typ}}}
		if err := table.Append(tt.cell); err != nil {
			t.Fatal(err)
		}
		c, err := column.Read(table, 0, tt.want)
		if err != nil || c.Kind != tt.kind || len(c.At) != 1 {
			t.Errorf("%s: %+v, %v", tt.name, c, err)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for name, row := range map[string][]any{"a short row": {}, "a cell of another type": {[]int{1}}} {
		table := &qed.Table{Columns: []qed.Column{{Name: "c"}}, Rows: [][]any{row}}
		if _, err := column.Read(table, 0, ""); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestNames(t *testing.T) {
	for _, name := range []string{"id", "port_id", "PortID", "portId", "zip", "country code"} {
		if !column.IsIdentifier(name) {
			t.Errorf("%s is no identifier", name)
		}
	}
	for _, name := range []string{"paid", "idea", "barcode_length", "Madrid"} {
		if column.IsIdentifier(name) {
			t.Errorf("%s is an identifier", name)
		}
	}
	if !column.IsCalendar("order_month") || column.IsCalendar("monthly") {
		t.Error("parts of dates")
	}
}
