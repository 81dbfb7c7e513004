using System.Globalization;
using System.Text.RegularExpressions;
using Jackdaw.Documents;

namespace Jackdaw.Simulation.Merging;

/// <summary>A document as the model knows it.</summary>
/// <param name="Id">In the casing of its first write.</param>
/// <param name="Etag">Of its last write.</param>
/// <param name="Collection">The collection's name in lower case.</param>
/// <param name="Body">JSON without metadata.</param>
/// <param name="Metadata">The client's own members, as text.</param>
/// <param name="ModifiedTicks">UTC, when the operation that wrote it was executed.</param>
internal sealed partial record DocumentState(string Id, long Etag, string Collection, string Body, string Metadata, long ModifiedTicks)
{
    /// <summary>The metadata without the date of a refresh.</summary>
    public string MetadataWithoutRefresh => Refresh().Replace(Metadata, "").TrimStart(',');

    /// <summary>When it is due, UTC ticks; null: never.</summary>
    public long? Due(DocumentDateKind kind)
    {
        var found = (kind == DocumentDateKind.Expires ? Expires() : Refresh()).Match(Metadata);
        return found.Success
            ? DateTime.Parse(found.Groups[1].Value, CultureInfo.InvariantCulture, DateTimeStyles.AdjustToUniversal).Ticks
            : null;
    }

    [GeneratedRegex(",?\"@expires\":\"([^\"]*)\"")]
    private static partial Regex Expires();

    [GeneratedRegex(",?\"@refresh\":\"([^\"]*)\"")]
    private static partial Regex Refresh();
}
