using Jackdaw.Indexing.Definitions;
using Jackdaw.Indexing.Rql.Syntax;
using Jackdaw.Search.Queries;

namespace Jackdaw.Indexing.Queries;

/// <summary>Conditions on the metadata in queries that name their index.</summary>
public sealed partial class QueryPlanner
{
    private const string MetadataName = "@metadata";

    /// <summary>Adds what an index without the metadata's fields is asked.</summary>
    private QueryPlan WithMetadataTest(QueryPlan plan) =>
        plan.Index is { Name: not null } asked && asked.Wanted.Fields.Any(IsOfMetadata) && plan.Filter?.Limit is null
            ? plan with
            {
                Index = asked with { MetadataTest = MetadataTestOf(asked, plan.Filter) },
            }
            : plan;

    /// <summary>Null: it cannot be tested document by document.</summary>
    private MetadataTest? MetadataTestOf(IndexPlan asked, FilterPlan? filter)
    {
        var (indexed, tested) = (new List<SearchQuery>(), new List<SearchQuery>());
        var orderFields = new WantedFields();
        foreach (var ordering in _query.OrderBy)
            OrderInIndex(ordering, orderFields);
        var wanted = orderFields.Of(null);
        var testedFields = filter?.Fields ?? new AutoIndexDefinition(null, []);
        foreach (var condition in Conjunction(_query.Where))
        {
            var fields = new WantedFields();
            var query = new ConditionReader(_scope, fields).Read(condition);
            var own = fields.Of(null);
            bool isTested = own.Fields.Any(IsOfMetadata);
            (isTested ? tested : indexed).Add(query);
            if (isTested)
                testedFields = AutoIndexDefinitions.Merge(testedFields, own);
            else
                wanted = AutoIndexDefinitions.Merge(wanted, own);
        }
        if (tested.Count == 0 || testedFields.Fields.Any(field => field.HasSearch))
            return null;
        if (filter is not null)
            tested.Add(filter.Query);
        return new MetadataTest(
            asked with
            {
                Wanted = wanted,
                Query = indexed.Count > 0 ? new SearchQuery.And(indexed) : new SearchQuery.All(),
            },
            new FilterPlan(new SearchQuery.And(tested), testedFields, Limit: null)
        );
    }

    /// <summary>The conditions that all must hold.</summary>
    private static IEnumerable<RqlExpression> Conjunction(RqlExpression? where) =>
        where switch
        {
            null => [],
            RqlLogical { Operator: RqlLogicalOperator.And } all => all.Operands.SelectMany(Conjunction),
            _ => [where],
        };

    /// <summary>A field of the metadata, or the metadata as a whole.</summary>
    internal static bool IsOfMetadata(AutoIndexField field) =>
        field.Path == MetadataName || field.Path.StartsWith(MetadataName + ".", StringComparison.Ordinal);
}
