namespace Jackdaw.Server.Security.Certificates;

/// <summary>A certificate was deleted, has expired, or may do less than before: its connections end.</summary>
/// <param name="Before">What it was allowed to do.</param>
/// <param name="After">What it is allowed to do now; null: nothing.</param>
internal sealed record CertificateChange(Access Before, Access? After)
{
    /// <summary>Returns whether <paramref name="after"/> lacks anything that <paramref name="before"/> has.</summary>
    public static bool IsLess(Access before, Access after)
    {
        if (after.Clearance < before.Clearance)
            return true;
        return !after.IsOperator && before.Databases.Any(held => !after.May(held.Key, held.Value));
    }
}
