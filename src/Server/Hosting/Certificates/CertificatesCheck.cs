using System.Globalization;
using Jackdaw.Documents;
using Jackdaw.Server.Security.Certificates;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Server.Hosting.Certificates;

/// <summary>The part of <c>run check</c> that reads every stored certificate.</summary>
internal static class CertificatesCheck
{
    /// <summary>Prints what it finds; false when something is wrong.</summary>
    public static bool Run(DatabasesOptions options, TextWriter output)
    {
        output.WriteLine("== Certificates of clients");
        try
        {
            using var system = StoppedSystem.Open(options);
            using var store = new CertificateStore(system.Rows(CertificateRow.Tree, CertificateRow.Format), WellKnownAdministrators.None);
            output.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{store.Count:N0}, each with the bytes that its key names"));
            return true;
        }
        catch (StorageException damage)
        {
            output.WriteLine(damage.Message);
            return false;
        }
    }
}
