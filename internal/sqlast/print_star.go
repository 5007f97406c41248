package sqlast

func (p *printer) star(s *Star) {
	if p.physical && !s.Row {
		p.broken(s.Pos, "a star in a select list")
	}
	p.qualifier(s.Schema, p.printedTable(s.Table, s.Of))
	p.text("*")
	for i, name := range s.Exclude {
		p.starPart(i, " EXCLUDE ")
		p.name(name)
	}
	p.starEnd(len(s.Exclude))
	for i := range s.Replace {
		p.starPart(i, " REPLACE ")
		p.item(&s.Replace[i])
	}
	p.starEnd(len(s.Replace))
}

// starPart prints what precedes the i-th column of a list of a star.
func (p *printer) starPart(i int, keyword string) {
	if i > 0 {
		p.text(", ")
		return
	}
	p.text(keyword)
	p.open()
}

func (p *printer) starEnd(columns int) {
	if columns > 0 {
		p.close()
	}
}
