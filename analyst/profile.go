package analyst

import (
	"context"

	"github.com/qedkit/qed/analyst/profile"
)

type profileArguments struct {
	Columns             []string `json:"columns,omitempty" jsonschema_description:"columns of the table; leave out for all"`
	IncludeDistribution bool     `json:"includeDistribution,omitempty" jsonschema_description:"also the most frequent values and histograms; false if it is left out"`
	IncludeNulls        *bool    `json:"includeNulls,omitempty" jsonschema_description:"also the number of nulls; true if it is left out"`
}

type profileResult struct {
	outcome
	*profile.Profile
	Others []otherColumn `json:"otherColumns,omitempty"`
	Left   []string      `json:"notProfiled,omitempty"`
}

// An otherColumn is a column whose whole profile would be too long.
type otherColumn struct {
	Name     string                `json:"name"`
	Kind     profile.Kind          `json:"kind"`
	Problems []profile.ProblemKind `json:"problems,omitempty"`
}

const (
	maxProfiled = 200 // columns of a call
	maxShown    = 20  // columns with their whole profile
	maxLeft     = 100 // names
)

// profile returns the profile of columns over all rows.
func (e *explorer) profile(ctx context.Context, in profileArguments) (out profileResult, err error) {
	names := in.Columns
	if len(names) == 0 {
		names = e.data.columns
	}
	if len(names) > maxProfiled {
		out.Left = names[maxProfiled:min(len(names), maxProfiled+maxLeft)]
		names = names[:maxProfiled]
	}
	out.Profile, err = profile.Read(ctx, e.data.tableSource(), &profile.Options{
		Columns: names, IncludeDistribution: in.IncludeDistribution, OmitNulls: in.IncludeNulls != nil && !*in.IncludeNulls,
	})
	if err != nil {
		out = profileResult{}
		out.outcome, err = e.failed(ctx, err)
		return out, err
	}
	for _, c := range out.Columns[min(maxShown, len(out.Columns)):] {
		other := otherColumn{Name: c.Name, Kind: c.Kind}
		for _, p := range c.Problems {
			other.Problems = append(other.Problems, p.Kind)
		}
		out.Others = append(out.Others, other)
	}
	out.Columns = out.Columns[:min(maxShown, len(out.Columns))]
	out.Success = true
	return out, nil
}
