using System.Text.Json;
using Jackdaw.Bench.Load;
using Xunit;

namespace Jackdaw.Bench.Tests;

public class DatedBodiesTests
{
    [Fact]
    public void A_document_has_its_collection_and_a_date_that_has_passed()
    {
        var bodies = new DatedBodies();
        byte[] text = new byte[bodies.LongestBody];
        for (long number = 0; number < 2000; number++)
        {
            int length = bodies.WriteBody(number, text);
            using var document = JsonDocument.Parse(text.AsMemory(0, length));
            JsonElement metadata = document.RootElement.GetProperty("@metadata");
            Assert.Equal(DocumentBodies.Collection, metadata.GetProperty("@collection").GetString());
            Assert.True(metadata.GetProperty("@expires").GetDateTime() < new DateTime(2021, 1, 1));
            Assert.Equal(1_000_000_000 + number, document.RootElement.GetProperty("Number").GetInt64());
        }
    }
}
