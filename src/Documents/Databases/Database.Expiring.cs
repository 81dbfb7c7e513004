using Jackdaw.Documents.Expiring;

namespace Jackdaw.Documents;

/// <summary>Documents that expire or are refreshed at a date in their metadata: docs/expiration.md.</summary>
public sealed partial class Database
{
    /// <summary>Returns how documents expire, or are refreshed, as it was stored last; null when the database was never
    /// configured: nothing happens then.</summary>
    public DueDocumentsSettings? DueDocumentsSettings(DocumentDateKind kind) => _host.Expirer.Pass(kind).Settings;

    /// <summary>
    /// Stores how documents expire, or are refreshed; ends when that is durable and in force. After this has ended with
    /// <see cref="Expiring.DueDocumentsSettings.Disabled"/>, nothing expires. Errors as <see cref="SubmitAsync"/>.
    /// </summary>
    public async Task ConfigureDueDocumentsAsync(DocumentDateKind kind, DueDocumentsSettings settings)
    {
        ArgumentNullException.ThrowIfNull(settings);
        var operation = new ConfigureDueDocumentsOperation(kind, settings);
        await SubmitAsync(operation).ConfigureAwait(false);
        _host.Expirer.Configure(kind, settings, operation.Order);
    }

    /// <summary>False, without reading, where nothing is configured for a kind of date and no document has one.</summary>
    public bool MayHaveDueDocuments(DocumentDateKind kind) => _host.Expirer.Pass(kind).IsUsed;

    /// <summary>Returns what waits for its date at the last durable transaction, and what was done since the database was
    /// opened.</summary>
    public DueDocumentsStatistics DueDocuments(DocumentDateKind kind)
    {
        using var reader = OpenRead("dates of documents");
        var pass = _host.Expirer.Pass(kind);
        long? first = reader.FirstReadableDate(kind);
        return new DueDocumentsStatistics(
            pass.Settings,
            pass.Done,
            reader.CountOfDates(kind),
            first is { } ticks ? new DateTime(ticks, DateTimeKind.Utc) : null,
            TimeSpan.FromTicks(Math.Max(0, _host.Expirer.NowTicks - (first ?? long.MaxValue))),
            pass.Skipped,
            pass.Passes
        );
    }
}
