// Package xlsxtest writes Excel workbooks for tests.
package xlsxtest

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
)

// A Sheet is a sheet of a workbook.
type Sheet struct {
	Name  string
	State string // such as hidden
	Rows  string // the XML of its rows
	After string // the XML below them
}

// Styles of cells, for their attribute s.
const (
	General = iota
	Day
	Moment
	Percent
	Euro
	Clock
	Elapsed
	Thousands
)

const styles = `<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><numFmts>` +
	`<numFmt numFmtId="164" formatCode="dd\.mm\.yyyy\ hh:mm"/><numFmt numFmtId="165" formatCode="#,##0.00\ &quot;€&quot;"/>` +
	`<numFmt numFmtId="166" formatCode="[h]:mm:ss"/></numFmts><cellXfs>` +
	`<xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="10"/><xf numFmtId="165"/><xf numFmtId="20"/><xf numFmtId="166"/><xf numFmtId="4"/>` +
	`</cellXfs></styleSheet>`

// Parts returns the parts of a workbook. Shared are its shared texts.
func Parts(date1904 bool, shared []string, sheets ...Sheet) map[string]string {
	const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	const relations = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">%s</Relationships>`
	relation := func(id, kind, target string) string {
		return fmt.Sprintf(`<Relationship Id=%q Type="%s/%s" Target=%q/>`, id, office, kind, target)
	}
	parts := map[string]string{
		"_rels/.rels":   fmt.Sprintf(relations, relation("r1", "officeDocument", "xl/workbook.xml")),
		"xl/styles.xml": styles,
	}
	list, to := "", relation("styles", "styles", "styles.xml")
	for i, s := range sheets {
		id := fmt.Sprintf("sheet%d", i+1)
		list += fmt.Sprintf(`<sheet name=%q sheetId="%d" state=%q r:id=%q/>`, s.Name, i+1, s.State, id)
		to += relation(id, "worksheet", "worksheets/"+id+".xml")
		parts["xl/worksheets/"+id+".xml"] = "<worksheet><sheetData>" + s.Rows + "</sheetData>" + s.After + "</worksheet>"
	}
	if shared != nil {
		to += relation("texts", "sharedStrings", "/xl/sharedStrings.xml")
		parts["xl/sharedStrings.xml"] = "<sst><si>" + strings.Join(shared, "</si><si>") + "</si></sst>"
	}
	parts["xl/_rels/workbook.xml.rels"] = fmt.Sprintf(relations, to)
	parts["xl/workbook.xml"] = fmt.Sprintf(`<workbook xmlns:r=%q><workbookPr date1904="%t"/><sheets>%s</sheets></workbook>`, office, date1904, list)
	return parts
}

// Zip returns the file of a workbook.
func Zip(parts map[string]string) []byte {
	var file bytes.Buffer
	w := zip.NewWriter(&file)
	for name, text := range parts {
		part, err := w.Create(name)
		if err == nil {
			_, err = part.Write([]byte(text))
		}
		if err != nil {
			panic(err) // not reached: the file is in memory
		}
	}
	if err := w.Close(); err != nil {
		panic(err) // not reached: the file is in memory
	}
	return file.Bytes()
}

// Book returns a workbook with one sheet.
func Book(rows string) []byte { return Zip(Parts(false, nil, Sheet{Name: "Data", Rows: rows})) }

// Row returns the XML of a row. A cell is a text, or its XML if it begins with "<c".
func Row(cells ...string) string {
	var b strings.Builder
	b.WriteString("<row>")
	for _, c := range cells {
		if strings.HasPrefix(c, "<c") {
			b.WriteString(c)
			continue
		}
		b.WriteString(Text(c))
	}
	b.WriteString("</row>")
	return b.String()
}

// Text returns the XML of a cell with a text.
func Text(s string) string {
	return `<c t="inlineStr"><is><t>` + strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace(s) + "</t></is></c>"
}

// Number returns the XML of a cell with a number as programs write it, and a style.
func Number(digits string, style int) string {
	return fmt.Sprintf(`<c s="%d"><v>%s</v></c>`, style, digits)
}
