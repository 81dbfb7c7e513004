using System.Reflection;

namespace Jackdaw.Server;

/// <summary>The version of this program, from its assembly.</summary>
internal static class ProductVersion
{
    private static readonly string Informational =
        typeof(ProductVersion).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion ?? "0.0.0";

    public static string Number => Informational.Split('+')[0];

    /// <summary>The commit it was built from; empty when unknown.</summary>
    public static string Commit => Informational.Contains('+') ? Informational.Split('+')[1] : "";
}
