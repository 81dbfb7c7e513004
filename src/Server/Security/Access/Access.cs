using System.Collections.Frozen;

namespace Jackdaw.Server.Security;

/// <summary>Who sends a request, and what that client may do. Immutable: a change to a certificate makes a new one.</summary>
internal sealed record Access
{
    /// <summary>The access of every client of a server without certificates, which listens on loopback only: everything.</summary>
    public static readonly Access Unsecured = new()
    {
        Name = "a client of this machine (the server runs without certificates)",
        Thumbprint = "",
        Clearance = Clearance.ClusterAdmin,
    };

    /// <summary>The certificate's name, for people.</summary>
    public required string Name { get; init; }

    /// <summary>The SHA-1 thumbprint in capital hexadecimal digits; "" for <see cref="Unsecured"/>.</summary>
    public required string Thumbprint { get; init; }

    /// <summary>What the client may do on the whole server.</summary>
    public required Clearance Clearance { get; init; }

    /// <summary>Rights by database, compared without case like the databases themselves. Operators need none.</summary>
    public IReadOnlyDictionary<string, DatabaseRight> Databases
    {
        get;
        init => field = value.ToDictionary(StringComparer.OrdinalIgnoreCase);
    } = FrozenDictionary<string, DatabaseRight>.Empty;

    /// <summary>When the certificate that the client presented expires, UTC; then the client must be identified again.</summary>
    public DateTime ValidUntil { get; init; } = DateTime.MaxValue;

    /// <summary>True for operators and administrators, who may do everything in every database.</summary>
    public bool IsOperator => Clearance >= Clearance.Operator;

    /// <summary>True for administrators of the server.</summary>
    public bool IsAdministrator => Clearance == Clearance.ClusterAdmin;

    /// <summary>Returns whether the client has at least <paramref name="right"/> in a database, which need not exist.</summary>
    public bool May(string database, DatabaseRight right) => IsOperator || (Databases.TryGetValue(database, out var held) && held >= right);
}
