namespace Jackdaw.Server.Security.Certificates;

/// <summary>What is to be changed of a stored certificate. What is null stays as it is at that moment.</summary>
internal sealed record CertificateEdit
{
    /// <summary>The new name.</summary>
    public string? Name { get; init; }

    /// <summary>The new clearance.</summary>
    public Clearance? Clearance { get; init; }

    /// <summary>All rights there are to be, by database.</summary>
    public IReadOnlyDictionary<string, DatabaseRight>? Rights { get; init; }

    /// <summary>Rights that are given, or taken away with null, by database; those to other databases stay.</summary>
    public IReadOnlyDictionary<string, DatabaseRight?>? RightChanges { get; init; }

    /// <summary>Tells what is changed, for the audit log.</summary>
    public override string ToString()
    {
        var rights = RightChanges ?? Rights?.ToDictionary(one => one.Key, one => (DatabaseRight?)one.Value);
        return string.Join(
            ", ",
            new[] { Name, Clearance?.ToString() }
                .OfType<string>()
                .Concat((rights ?? new Dictionary<string, DatabaseRight?>()).Select(one => $"{one.Key}={one.Value?.ToString() ?? "None"}"))
        );
    }

    /// <summary>Returns what the certificate is to be.</summary>
    public NewCertificate Of(StoredCertificate before) =>
        new(Name ?? before.Name, Clearance ?? before.Clearance, RightsOf(before), default);

    private IReadOnlyDictionary<string, DatabaseRight> RightsOf(StoredCertificate before)
    {
        if (RightChanges is null)
            return Rights ?? before.Rights;
        var rights = new Dictionary<string, DatabaseRight>(Rights ?? before.Rights, StringComparer.OrdinalIgnoreCase);
        foreach (var (database, right) in RightChanges)
        {
            rights.Remove(database);
            if (right is { } given)
                rights.Add(database, given);
        }
        return rights;
    }
}
