using Jackdaw.Indexing.Definitions;
using Jackdaw.Indexing.Rql.Syntax;

namespace Jackdaw.Indexing.Queries;

/// <summary>Projections of plain fields.</summary>
public sealed partial class QueryPlanner
{
    private QueryProjection Projection(RqlSelect select)
    {
        var fields = new List<ProjectedField>();
        var names = new HashSet<string>(StringComparer.Ordinal);
        foreach (var item in select.Items)
        {
            var field = Projected(item);
            if (!names.Add(field.Name))
                throw Unsupported($"two projected fields with the name '{field.Name}'", item);
            fields.Add(field);
        }

        return new QueryProjection(fields);
    }

    private ProjectedField Projected(RqlSelectItem item) =>
        item.Expression switch
        {
            RqlField field => Projected(field, item.Alias),
            RqlMethodCall call when _scope.IsId(call) => new ProjectedField(item.Alias ?? "id()", ProjectedFieldSource.Id, null),
            RqlMethodCall call => throw RefusedInSelect(call),
            RqlTimeSeriesQuery series => throw Unsupported("selecting time series", series),
            _ => throw Unsupported("selecting anything but fields and id()", item),
        };

    private ProjectedField Projected(RqlField field, string? alias)
    {
        var path = _scope.WithoutAlias(field);
        if (path is [RqlProperty { Name: var whole }] && whole == _query.From.Alias)
            throw Unsupported("selecting the whole document", field);

        var name = alias ?? TextOf(path);
        var isMetadata = path[0] is RqlProperty { Name: "@metadata" };
        if (isMetadata && path.Count == 1)
            throw Unsupported("selecting the whole metadata", field);

        var segments = path.Skip(isMetadata ? 1 : 0).Select(SegmentOf).ToArray();
        bool mayCount = segments.Length > 1 && path[^1] is RqlProperty { Name: var last } && ElementCounts.IsName(last);
        return new ProjectedField(
            name,
            isMetadata ? ProjectedFieldSource.Metadata : ProjectedFieldSource.Body,
            new JsonFieldPath(segments),
            mayCount ? new JsonFieldPath(segments[..^1]) : null
        );
    }
}
