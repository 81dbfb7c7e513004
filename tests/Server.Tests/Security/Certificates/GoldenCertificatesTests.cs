using System.Formats.Tar;
using System.IO.Compression;
using System.Text;
using Jackdaw.Documents;
using Jackdaw.Server.Hosting.Certificates;
using Jackdaw.Server.Security;
using Jackdaw.Server.Security.Certificates;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Server.Tests.Security.Certificates;

/// <summary>A data folder with certificates of format 1, as a crash left it, written once and never again. A new format gets a folder
/// of its own, written by running this class with JACKDAW_WRITE_GOLDEN_DATA=FILE.</summary>
public sealed class GoldenCertificatesTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-golden-certificates-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task Certificates_of_format_1_are_read_as_they_were_stored_and_can_be_changed()
    {
        if (Environment.GetEnvironmentVariable("JACKDAW_WRITE_GOLDEN_DATA") is { Length: > 0 } target)
            await WriteAsync(target);
        await using (
            var file = File.OpenRead(Path.Combine(AppContext.BaseDirectory, "Security/Certificates/Golden/certificates-format-1.tar.gz"))
        )
        await using (var unpacked = new GZipStream(file, CompressionMode.Decompress))
            await TarFile.ExtractToDirectoryAsync(unpacked, _folder, overwriteFiles: true);

        using var system = StoppedSystem.Open(OptionsOf(_folder));
        using var store = StoreOf(system);
        var lines = store
            .List()
            .Select(one =>
            {
                Assert.Equal(one.Facts.Hash, CertificateHash.Of(store.Bytes(one)));
                var rights = one.Rights.OrderBy(right => right.Key, StringComparer.Ordinal).Select(right => $"{right.Key}={right.Value}");
                return $"{one.Name} {one.Clearance} {string.Join(',', rights)} {one.StoredAt:s} {one.Facts.NotBefore:s} {one.Facts.NotAfter:s}";
            });
        Assert.Equal(
            [
                "Größe 𝄞 ValidUser Größe=Admin,audit=Read,shop=ReadWrite 2026-11-22T08:57:49 2026-11-20T08:57:49 2036-11-18T08:57:49",
                "ops ClusterAdmin  2026-11-21T08:57:49 2026-11-20T08:57:49 2036-11-18T08:57:49",
                "station Operator ignored=Read 2026-11-23T08:57:49 2026-11-20T08:57:49 2086-11-06T08:57:49",
            ],
            lines
        );
        await store.DeleteAsync(store.List()[0].Thumbprint, Access.Unsecured);
        Assert.Equal(2, store.Count);
    }

    [Fact]
    public async Task A_row_that_is_no_certificate_is_named_by_the_start_and_by_the_check()
    {
        var output = new StringWriter();
        using var key = new ClientKey();
        using (var system = StoppedSystem.Open(OptionsOf(_folder)))
        using (var store = StoreOf(system))
            await store.PutAsync(StoreScene.New("good", Clearance.ValidUser, key.Certificate()), Access.Unsecured);
        Assert.True(CertificatesCheck.Run(OptionsOf(_folder), output));
        Assert.Contains("1, each with", output.ToString(), StringComparison.Ordinal);
        foreach (var row in new[] { [], new byte[10], new byte[200], [1, 1, 255, 255, .. new byte[100]] })
        {
            using (var system = StoppedSystem.Open(OptionsOf(_folder)))
                await system.Rows(CertificateRow.Tree, CertificateRow.Format).PutAsync([0xAB, 0xCD], row);
            using (var system = StoppedSystem.Open(OptionsOf(_folder)))
                Assert.Contains("ABCD", Assert.Throws<CorruptedDataException>(() => StoreOf(system)).Message, StringComparison.Ordinal);
            output = new StringWriter();
            Assert.False(CertificatesCheck.Run(OptionsOf(_folder), output));
            Assert.Contains("ABCD", output.ToString(), StringComparison.Ordinal);
        }
    }

    private static DatabasesOptions OptionsOf(string folder) => new() { DataDir = folder, Storage = StoreScene.Storage };

    private static CertificateStore StoreOf(StoppedSystem system, TimeProvider? clock = null) =>
        new(system.Rows(CertificateRow.Tree, CertificateRow.Format), WellKnownAdministrators.None, clock);

    /// <summary>Taken while the folder is open: what a crash would leave.</summary>
    private static async Task WriteAsync(string target)
    {
        var source = Directory.CreateTempSubdirectory("jackdaw-golden-certificates-new-").FullName;
        using (var system = StoppedSystem.Open(OptionsOf(source)))
        {
            var clock = new ManualClock();
            using var store = StoreOf(system, clock);
            var keys = new[] { new ClientKey(), new ClientKey(), new ClientKey(), new ClientKey() };
            Task<StoredCertificate> PutAsync(
                int key,
                double to,
                string name,
                Clearance clearance,
                params (string, DatabaseRight)[] rights
            ) => store.PutAsync(StoreScene.New(name, clearance, keys[key].Certificate(to: to), rights), Access.Unsecured);
            await PutAsync(0, 3650, "ops", Clearance.ClusterAdmin);
            clock.Advance(TimeSpan.FromDays(1));
            var gone = await PutAsync(3, 10, "gone", Clearance.Operator);
            await PutAsync(
                1,
                3650,
                "Größe 𝄞",
                Clearance.ValidUser,
                ("shop", DatabaseRight.ReadWrite),
                ("audit", DatabaseRight.Read),
                ("Größe", DatabaseRight.Admin)
            );
            clock.Advance(TimeSpan.FromDays(1));
            await PutAsync(2, 21900, "station", Clearance.Operator, ("ignored", DatabaseRight.Read));
            await store.DeleteAsync(gone.Thumbprint, Access.Unsecured);
            await using var file = File.Create(target);
            await using var packed = new GZipStream(file, CompressionLevel.SmallestSize);
            await TarFile.CreateFromDirectoryAsync(source, packed, includeBaseDirectory: false);
            foreach (var key in keys)
                key.Dispose();
        }
        Directory.Delete(source, recursive: true);
    }

    /// <summary>The bytes that docs/documents-format.md draws.</summary>
    [Fact]
    public void A_row_is_laid_out_as_the_documentation_draws_it()
    {
        using var key = new ClientKey();
        var certificate = key.Certificate().RawData;
        var rights = new Dictionary<string, DatabaseRight> { ["b"] = DatabaseRight.Admin, ["a"] = DatabaseRight.Read };
        var row = CertificateRow.Write("né", Clearance.Operator, rights, new DateTime(0x0102030405060708, DateTimeKind.Utc), certificate);
        Assert.Equal(
            [
                .. (byte[])[1, 2, 3, 0, 2, 0, 0, 0],
                .. BitConverter.GetBytes(certificate.Length),
                .. new byte[4],
                .. (byte[])[8, 7, 6, 5, 4, 3, 2, 1],
                .. Encoding.UTF8.GetBytes("né"),
                .. (byte[])[1, 1, 0, (byte)'a', 3, 1, 0, (byte)'b'],
                .. certificate,
            ],
            row
        );
        var read = CertificateRow.Read(CertificateHash.Of(certificate).ToBytes(), row);
        Assert.Equal(("né", Clearance.Operator, 2), (read.Name, read.Clearance, read.Rights.Count));
    }
}
