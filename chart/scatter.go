package chart

import "github.com/qedkit/qed/chart/internal/vegalite"

// scatter draws a point for each row.
func (d *drawing) scatter() (object, error) {
	encoding := object{}
	scales := map[string]*scale{"x": {column: d.x}, "y": {column: d.y}}
	if d.by != nil {
		scales["color"] = &scale{column: d.by}
		if !d.by.numeric() {
			scales["color"] = d.newScale(d.by)
			if d.by.typ == vegalite.Nominal && len(scales["color"].values) > vegalite.MaxCategories {
				return nil, d.tooMany("/color", d.by)
			}
		}
	}
	byName := map[string]string{}
	for _, channel := range []string{"x", "y", "color"} {
		s := scales[channel]
		if s == nil {
			continue
		}
		if s.cells == nil {
			s.cells = s.column.cells
		}
		if byName[s.column.name] == "" {
			byName[s.column.name] = d.field(s.column.name)
		}
		s.field = byName[s.column.name]
		c := s.channel(false)
		if s.column.numeric() {
			c = object{"field": vegalite.Escape(s.field), "title": vegalite.Title(s.column.label), "type": vegalite.Quantitative}
		}
		if channel != "color" && c["type"] == vegalite.Quantitative {
			c["scale"] = object{"zero": false}
		}
		encoding[channel] = c
	}
	var rows []int
	for i := range d.x.cells {
		if d.x.cells[i] != nil && d.y.cells[i] != nil && (d.by == nil || scales["color"].cells[i] != nil) {
			rows = append(rows, i)
		}
	}
	if n := len(d.x.cells) - len(rows); n > 0 {
		d.noteRows(d.texts.NotDrawn, n)
	}
	if len(rows) > d.rows {
		d.note(d.texts.Points, "n", d.rows, "all", len(rows))
	}
	for _, at := range evenly(len(rows), d.rows) {
		row := object{}
		for _, s := range scales {
			row[s.field] = s.data(s.cells[rows[at]])
		}
		d.data = append(d.data, row)
	}
	body := object{"mark": object{"type": "point", "tooltip": true}, "encoding": encoding}
	return body, nil
}

func (d *drawing) tooMany(path string, c *field) error {
	return refuse(vegalite.TooMany(path, c.name, c.distinct, vegalite.MaxCategories))
}
