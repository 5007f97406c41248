package sqlagent

import "github.com/qedkit/qed"

// used returns what the prompt for writing SQL had besides the names of tables and
// columns, after it was shortened.
func (a *agent) used(s *state, data *generateData) *qed.Used {
	u := &qed.Used{}
	for _, pair := range data.Examples {
		u.Examples = append(u.Examples, usedExample(pair))
	}
	for _, m := range s.Named[:min(len(s.Named), len(data.Values))] {
		u.Values = append(u.Values, qed.ValueMatch{Said: m.Said, Table: m.Table, Column: m.Column, Value: m.Value})
	}
	if data.Known != "" {
		for _, e := range s.Known.Entities {
			u.Notes = append(u.Notes, e.Kind+": "+e.Name)
		}
		for _, t := range s.Known.Turns {
			u.Notes = append(u.Notes, t.Date+": "+t.Request)
		}
	}
	u.Definitions = a.definitions(data.Tables)
	if u.Examples == nil && u.Values == nil && u.Notes == nil && u.Definitions == nil {
		return nil
	}
	return u
}

// maxDefinitions is how many definitions an answer lists.
const maxDefinitions = 50

// definitions returns the comments on the tables of a prompt and on the columns that it has.
func (a *agent) definitions(tables []promptTable) (all []qed.Definition) {
	for _, t := range tables {
		if t.Comment != "" {
			all = append(all, qed.Definition{Table: t.Name, Text: t.Comment})
		}
		for _, column := range a.catalog.columns[t.Name][:len(t.Columns)] {
			if text := a.catalog.schema.Tables[t.Name].ColumnComments[column]; text != "" {
				all = append(all, qed.Definition{Table: t.Name, Column: column, Text: text})
			}
		}
	}
	return all[:min(len(all), maxDefinitions)]
}
