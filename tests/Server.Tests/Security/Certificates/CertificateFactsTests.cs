using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Jackdaw.Server.Security.Certificates;

namespace Jackdaw.Server.Tests.Security.Certificates;

public sealed class CertificateFactsTests
{
    /// <summary>The runtime's own reader is the oracle. Years above 2049 are written in another form than those before.</summary>
    [Fact]
    public void What_is_read_of_a_certificate_is_what_the_runtime_reads()
    {
        var random = new Random(7);
        using var rsa = RSA.Create(2048);
        for (var i = 0; i < 200; i++)
        {
            using var key = new ClientKey
            {
                Clock = new ManualClock(new DateTimeOffset(1951 + random.Next(140), 1 + random.Next(12), 3, 4, 5, 6, TimeSpan.Zero)),
            };
            var usage = random.Next(3) switch
            {
                0 => null,
                1 => ClientKey.ForClients,
                _ => ClientKey.ForServers,
            };
            using var certificate = key.Certificate(
                new string('n', 1 + random.Next(60)),
                usage: usage,
                extensionBytes: random.Next(2) * 300,
                to: 1 + random.Next(9000)
            );
            Same(certificate, isForClients: usage != ClientKey.ForServers);
        }
        var request = new CertificateRequest("CN=rsa", rsa, HashAlgorithmName.SHA512, RSASignaturePadding.Pss);
        using var withRsa = request.CreateSelfSigned(DateTimeOffset.UtcNow, DateTimeOffset.UtcNow.AddDays(1));
        Same(withRsa, isForClients: true);
    }

    [Fact]
    public void Damaged_and_cut_certificates_are_no_certificates_and_nothing_else_is_thrown()
    {
        using var key = new ClientKey();
        var bytes = key.Certificate().RawData;
        for (var length = 0; length < bytes.Length; length++)
            Assert.False(CertificateFacts.TryRead(bytes.AsSpan(0, length), out _));
        Assert.False(CertificateFacts.TryRead([.. bytes, 0], out _));
        var random = new Random(11);
        for (var i = 0; i < 20_000; i++)
        {
            var damaged = (byte[])bytes.Clone();
            for (var flips = random.Next(1, 4); flips > 0; flips--)
                damaged[random.Next(damaged.Length)] = (byte)random.Next(256);
            CertificateFacts.TryRead(damaged, out _);
        }
        for (var i = 0; i < 20_000; i++)
        {
            var noise = new byte[random.Next(100)];
            random.NextBytes(noise);
            Assert.False(CertificateFacts.TryRead(noise, out _));
        }
    }

    private static void Same(X509Certificate2 certificate, bool isForClients)
    {
        Assert.True(CertificateFacts.TryRead(certificate.RawData, out var facts));
        Assert.Equal(certificate.GetCertHashString(HashAlgorithmName.SHA256), facts.Hash.ToString());
        Assert.Equal(SHA256.HashData(certificate.PublicKey.ExportSubjectPublicKeyInfo()), facts.Pin.ToBytes());
        Assert.Equal(certificate.NotBefore.ToUniversalTime(), facts.NotBefore);
        Assert.Equal(certificate.NotAfter.ToUniversalTime(), facts.NotAfter);
        Assert.Equal(certificate.Thumbprint, CertificateFacts.Thumbprint(certificate.RawData));
        Assert.Equal(isForClients, facts.IsForClients);
    }
}
