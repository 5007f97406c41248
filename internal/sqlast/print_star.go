package sqlast

func (p *printer) star(s *Star) {
	if p.physical && !s.Row {
		p.broken(s.Pos, "a star in a select list")
	}
	p.qualifier(s.Schema, p.printedTable(s.Table, s.Of))
	p.text("*")
	if len(s.Exclude) > 0 {
		p.text(" EXCLUDE ")
		p.names(s.Exclude)
	}
	if len(s.Replace) > 0 {
		p.text(" REPLACE ")
		p.open()
		separated(p, s.Replace, p.item)
		p.close()
	}
}
