using System.Globalization;
using Jackdaw.Documents.Snapshots;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.Snapshots;

/// <summary>The parameters of the routes of snapshots.</summary>
internal static class SnapshotQuery
{
    private static readonly string[] Bounds = ["minNumber", "maxNumber", "minTicks", "maxTicks"];

    /// <summary>The bounds that a read gives.</summary>
    public static SnapshotCriteria Criteria(QueryParameters query) =>
        new(
            query.NonNegative("minNumber", 0),
            query.NonNegative("maxNumber", long.MaxValue),
            query.NonNegative("minTicks", 0),
            query.NonNegative("maxTicks", long.MaxValue)
        );

    /// <summary>What a deletion is to delete: one snapshot, if its ticks fit, or all within bounds.</summary>
    /// <exception cref="BadRequestException">It gives neither a number nor a bound, or both.</exception>
    public static SnapshotCriteria Deletion(QueryParameters query)
    {
        var criteria = Criteria(query);
        if (!query.Has("number"))
        {
            if (query.Has("ticks"))
                throw new BadRequestException("The parameter 'ticks' needs 'number'; bounds are 'minTicks' and 'maxTicks'.");
            return Bounds.Any(query.Has)
                ? criteria
                : throw new BadRequestException(
                    $"A deletion needs the parameter 'number', or at least one of {string.Join(", ", Bounds)}."
                );
        }
        if (query.Has("minNumber") || query.Has("maxNumber"))
            throw new BadRequestException("The parameter 'number' cannot be combined with 'minNumber' or 'maxNumber'.");
        var number = Number(query);
        criteria = criteria with { MinNumber = number, MaxNumber = number };
        if (!query.Has("ticks"))
            return criteria;
        query.Required("ticks");
        var ticks = query.NonNegative("ticks", 0);
        return criteria with { MinTicks = Math.Max(criteria.MinTicks, ticks), MaxTicks = Math.Min(criteria.MaxTicks, ticks) };
    }

    /// <summary>The number of the snapshot, which must be there.</summary>
    public static long Number(QueryParameters query)
    {
        query.Required("number");
        return query.NonNegative("number", 0);
    }

    /// <summary>What a client says of the snapshot that it stores.</summary>
    public static NewSnapshot New(QueryParameters query, byte[] stream) =>
        new(
            stream,
            Number(query),
            string.IsNullOrEmpty(query["ticks"]) ? null : query.NonNegative("ticks", 0),
            Serializer(query["serializer"]),
            query["manifest"] ?? ""
        );

    private static int Serializer(string? text)
    {
        if (string.IsNullOrEmpty(text))
            return 0;
        return int.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var serializer)
            ? serializer
            : throw new BadRequestException($"The parameter 'serializer' must be a whole number of 32 bits, not '{text}'.");
    }
}
